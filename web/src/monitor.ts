// The first tab: how exact the simulation is at this moment, in numbers and over time.
import { button, el, setScientific, setText } from "./dom";
import { scientific, si, significant } from "./format";
import { Axis, Chart, History } from "./plot";
import { ControlState, Frame, MISSES, Scene, STATUSES } from "./protocol";
import { Report } from "./source";
import { Theme } from "./theme";

const SECONDS = 8; // of the plots

interface Plot {
  title: HTMLElement;
  chart: Chart;
  value: HTMLElement;
  figure: HTMLElement;
}

export class Monitor {
  readonly root = el("section", { id: "monitor" });
  private residual = el("output", { class: "big" });
  private verdict = el("span", { class: "verdict" });
  private worst = el("div", { class: "worst" });
  private readouts: Record<string, HTMLElement> = {};
  private plots: Record<string, Plot> = {};
  private history = new History(4);
  private joints: number[] = [];
  private jointHistory = new History(0);
  private scene: Scene | null = null;
  private solver = "";
  private known = false; // the history is a recording's, ahead as well

  // `toSolver` leads to where it is switched; null: a recording.
  constructor(toSolver: (() => void) | null) {
    const live = toSolver !== null;
    const cells = [
      ["realtime", "real time", "Simulated seconds per second, and how many there could be"],
      ["contacts", "contacts", "Contacts, and constraints in all"],
      ["solver", "solver", "Who solves the contact problem"],
      ["iterations", "iterations", "Most of the steps since the last picture"],
      ["penetration", "penetration", "Deepest overlap"],
      ["solve", "solve time", "Mean per step"],
    ].filter(([key]) => live || key !== "realtime");
    const grid = el("dl", { class: "readouts" });
    for (const [key, name, title] of cells) {
      this.readouts[key] = el("dd", { id: `value-${key}` });
      const link = key === "solver" && live ? button("switch", "Another solver, while it runs (2)", toSolver) : null;
      if (link) link.className = "link";
      grid.append(el("div", { title }, el("dt", {}, name, link), this.readouts[key]));
    }
    this.residual.id = "value-residual";
    this.verdict.id = "verdict";
    this.root.append(
      el("div", { class: "certificate" },
        el("h2", {}, "Residual"),
        el("div", { class: "figure" }, this.residual, el("span", { class: "unit" }, "m/s"), this.verdict),
        this.worst),
      grid,
    );
    const drawn: [string, string][] = [
      ["residual", "Residual, m/s"], ["energy", "Energy, J"],
      ["penetration", "Penetration, m"], ["solve", "Solve time, s"], ["joints", "Joints"],
    ];
    for (const [key, title] of drawn) this.addPlot(key, title);
    this.plots.joints.figure.hidden = true;
  }

  private addPlot(key: string, title: string) {
    const canvas = el("canvas", { id: `plot-${key}` });
    const value = el("output");
    const name = el("span", {}, title);
    const figure = el("figure", {}, el("figcaption", {}, name, value), canvas);
    this.root.append(figure);
    this.plots[key] = { title: name, chart: new Chart(canvas), value, figure };
  }

  start(scene: Scene, report: Report | null) {
    this.scene = scene;
    this.history.clear();
    this.known = report !== null;
    if (report) {
      this.history.time = Array.from(report.times);
      this.history.values = [report.residual, report.energy, report.penetration, report.solveSeconds].map((x) => Array.from(x));
    }
    this.plotJoints([]);
  }

  // Joints by number; a free joint shows its height, a ball joint its angle.
  plotJoints(joints: number[]) {
    this.joints = joints;
    this.jointHistory = new History(joints.length);
    this.plots.joints.figure.hidden = joints.length === 0;
  }

  show(state: ControlState) {
    this.solver = state.solver;
    setText(this.readouts.solver, state.solver);
  }

  update(frame: Frame, theme: Theme) {
    setScientific(this.residual, frame.residual);
    const ok = frame.missedBy === 0;
    this.verdict.dataset.ok = String(ok);
    setText(this.verdict, frame.step === 0 ? "" : `${ok ? "within" : "misses"} ${scientific(frame.tolerance)}`);
    // The residual speaks for itself.
    const reasons = MISSES.filter((_, k) => k > 0 && frame.missedBy & (1 << k));
    if (frame.worst) reasons.push(`worst: ${frame.worst}`);
    setText(this.worst, reasons.join("; ") || " ");
    const could = this.scene && frame.stepSeconds > 0 ? this.scene.timestep / frame.stepSeconds : 0;
    if (this.readouts.realtime) {
      setText(this.readouts.realtime, `${significant(frame.realTimeFactor)}× of ${could ? significant(could) : "–"}×`);
    }
    const constraints = Number.isNaN(frame.constraints) ? "" : ` / ${frame.constraints}`;
    setText(this.readouts.contacts, `${frame.contactCount}${constraints}`);
    setText(this.readouts.iterations, [frame.iterations, STATUSES[frame.status]].filter((x) => x !== undefined).join(" · "));
    setText(this.readouts.penetration, si(frame.penetration, "m"));
    setText(this.readouts.solve, si(frame.solveSeconds, "s"));
    setText(this.readouts.solver, this.solver);
    if (!this.known) this.history.add(frame.time, [frame.residual, frame.energy, frame.penetration, frame.solveSeconds]);
    this.jointHistory.add(frame.time, this.joints.map((joint) => this.position(frame, joint)));
    this.draw(frame, theme);
  }

  private position(frame: Frame, joint: number): number {
    const { type, qpos, body } = this.scene!.joints[joint];
    if (type === "free") return frame.poses[7 * body + 2];
    if (type === "ball") return 2 * Math.acos(Math.min(1, Math.abs(frame.qpos[qpos])));
    return frame.qpos[qpos] ?? NaN;
  }

  private draw(frame: Frame, theme: Theme) {
    const { history } = this;
    const end = frame.time;
    const from = history.before(end - SECONDS);
    const to = history.before(end, true);
    const x: Axis = { log: false, low: Math.max(end - SECONDS, history.time[from] ?? 0), high: end, unit: "" };
    if (x.high - x.low < 0.5) x.high = x.low + 0.5;
    const time = history.time.slice(from, to);
    const one = (key: string, k: number, colour: string, y: Axis, text: string, limit?: number) => {
      const values = history.values[k].slice(from, to);
      this.plots[key].chart.draw(theme, x, y, [{ colour, x: time, y: values, count: time.length }], limit);
      setText(this.plots[key].value, text);
    };
    const residual = history.values[0].slice(from, to);
    one("residual", 0, theme.lines[0], decades(residual, frame.tolerance), scientific(frame.residual), frame.tolerance);
    one("energy", 1, theme.lines[1], range(history.values[1].slice(from, to), false, "J"), this.energyText(frame));
    one("penetration", 2, theme.lines[2], range(history.values[2].slice(from, to), true, "m"), si(frame.penetration, "m"));
    one("solve", 3, theme.lines[3], range(history.values[3].slice(from, to), true, "s"), si(frame.solveSeconds, "s"));
    this.drawJoints(theme, x);
  }

  private energyText({ energy, kinetic }: Frame): string {
    return Number.isNaN(kinetic) ? si(energy, "J") : `${si(energy, "J")}, kinetic ${si(kinetic, "J")}`;
  }

  private drawJoints(theme: Theme, x: Axis) {
    if (this.joints.length === 0) return;
    const from = this.jointHistory.before(x.low);
    const time = this.jointHistory.time.slice(from);
    const series = this.jointHistory.values.map((values) => values.slice(from));
    const lines = series.map((y, k) => ({
      colour: theme.lines[k % theme.lines.length],
      dash: k >= 4 ? [5, 3] : [],
      x: time, y, count: time.length,
    }));
    this.plots.joints.chart.draw(theme, x, range(series.flat(), false, ""), lines);
    const names = this.joints.map((joint, k) => {
      const { name, type } = this.scene!.joints[joint];
      const unit = type === "free" ? "height, m" : type === "slide" ? "m" : "rad";
      const key = el("span", { style: `color:${theme.lines[k % theme.lines.length]}` }, "● ");
      return el("span", {}, key, `${name || `joint ${joint}`} (${unit}) `);
    });
    this.plots.joints.title.replaceChildren(...names);
  }
}

// Whole decades around the values and the tolerance.
function decades(values: number[], tolerance: number): Axis {
  let low = tolerance;
  let high = tolerance;
  for (const value of values) {
    if (!(value > 0)) continue;
    low = Math.min(low, value);
    high = Math.max(high, value);
  }
  const floor = Math.max(Math.floor(Math.log10(low)), -17);
  const ceiling = Math.ceil(Math.log10(high) + 0.3);
  return { log: true, low: Math.pow(10, floor), high: Math.pow(10, Math.max(ceiling, floor + 2)), unit: "" };
}

function range(values: number[], fromZero: boolean, unit: string): Axis {
  let low = fromZero ? 0 : Infinity;
  let high = -Infinity;
  for (const value of values) {
    if (!Number.isFinite(value)) continue;
    low = Math.min(low, value);
    high = Math.max(high, value);
  }
  if (!Number.isFinite(low) || !Number.isFinite(high)) [low, high] = [0, 1];
  const least = Math.max(1e-3 * Math.max(Math.abs(low), Math.abs(high)), 1e-9);
  if (high - low < least) [low, high] = fromZero ? [0, least] : [low - least, high + least];
  const room = 0.08 * (high - low);
  return { log: false, low: fromZero ? 0 : low - room, high: high + room, unit };
}
