// The second tab: who solves, how exactly, and how the others would have done on this step.
import { button, el, setText } from "./dom";
import { scientific, si } from "./format";
import { Axis, Chart, Line } from "./plot";
import { ControlState, Curve, Frozen } from "./protocol";
import { firstIterations, inWords, SWEEPS } from "./solvers";
import { Source } from "./source";
import { Theme } from "./theme";

const DASHES: number[][] = [[], [7, 3], [2, 2]];

export class SolverTab {
  readonly root = el("section", { id: "solver" });
  private solver = el("select", { id: "solver-name" });
  private iterations = el("input", { type: "number", min: "0", max: "1000000", step: "1", id: "solver-iterations" });
  private tolerance = el("select", { id: "solver-tolerance" });
  private frozen: Frozen | null = null;
  private curves: Curve[] = [];
  private solvers: string[] = [];
  private caption = el("p", { class: "hint" });
  private chart = new Chart(el("canvas", { id: "curves", class: "tall" }));
  private table = el("tbody");
  private result = el("div", { id: "frozen", hidden: "" });
  private overTime = false;
  private asked = new Map<string, number>(); // iterations at most, by solver

  constructor(private source: Source, private theme: () => Theme) {
    for (let k = -14; k <= -2; k += 1) {
      this.tolerance.append(el("option", { value: `1e${k}` }, scientific(Math.pow(10, k)).replace("1.0×", "")));
    }
    this.solver.addEventListener("change", () => this.choose());
    for (const control of [this.iterations, this.tolerance]) control.addEventListener("change", () => this.apply());
    // Keys belong to the simulation again as soon as the choice is made.
    for (const control of [this.solver, this.tolerance]) control.addEventListener("change", () => control.blur());
    this.iterations.addEventListener("keydown", (event) => {
      if (event.key === "Enter") this.iterations.blur();
    });
    const freeze = button("Freeze this step", "Solve this step's problem with every solver", () => source.freeze());
    freeze.id = "freeze";
    freeze.className = "wide primary";
    const axis = el("div", { class: "segmented" });
    for (const [name, overTime] of [["iterations", false], ["time", true]] as const) {
      const choice = button(name, `Residual over ${name}`, () => {
        this.overTime = overTime;
        for (const other of axis.children) other.setAttribute("aria-pressed", String(other === choice));
        this.draw();
      });
      choice.setAttribute("aria-pressed", String(!overTime));
      axis.append(choice);
    }
    this.result.append(
      this.caption,
      el("figure", {}, el("figcaption", {}, el("span", {}, "Residual, m/s"), axis), this.chart.canvas),
      el("table", {},
        el("thead", {}, el("tr", {}, ...["", "solver", "residual", "iter.", "time"].map((name) => el("th", {}, name)))),
        this.table),
    );
    this.root.append(
      el("h2", {}, "Solver"),
      el("div", { class: "fields" },
        el("label", {}, "Solver", this.solver),
        el("label", { title: "0: the solver's own limit" }, "Iterations at most", this.iterations),
        el("label", {}, "Tolerance, m/s", this.tolerance)),
      el("p", { class: "hint" },
        "Takes effect with the next step; warm start and state are kept. Iterations 0: as many as the solver " +
        `allows itself. Solvers that sweep begin with ${SWEEPS}, what game engines spend.`),
      el("h2", {}, "Freeze"),
      el("p", { class: "hint" }, "Stops, and solves the contact problem of this very step with every solver, each from zero."),
      freeze,
      this.result,
    );
  }

  start(solvers: string[]) {
    this.solvers = solvers;
    this.solver.replaceChildren(...solvers.map((name) => el("option", { value: name }, inWords(name))));
    this.asked.clear();
    this.result.hidden = true;
  }

  // Every solver keeps the limit that it was given last.
  private choose() {
    const name = this.solver.value;
    this.iterations.value = String(this.asked.get(name) ?? firstIterations(name));
    this.apply();
  }

  private apply() {
    const iterations = Math.max(0, Math.round(Number(this.iterations.value) || 0));
    this.asked.set(this.solver.value, iterations);
    this.source.setSolver(this.solver.value, iterations, Number(this.tolerance.value));
  }

  show(state: ControlState) {
    this.solver.value = state.solver;
    this.asked.set(state.solver, state.iterations);
    if (document.activeElement !== this.iterations) this.iterations.value = String(state.iterations);
    const exponent = Math.round(Math.log10(state.tolerance));
    this.tolerance.value = `1e${Math.min(Math.max(exponent, -14), -2)}`;
  }

  freeze(frozen: Frozen) {
    this.frozen = frozen;
    this.curves = [];
    this.result.hidden = false;
    this.result.scrollIntoView({ block: "nearest" });
    this.fill();
  }

  add(curve: Curve) {
    this.curves.push(curve);
    this.fill();
  }

  private style(solver: string): { colour: string; dash: number[] } {
    const k = this.solvers.indexOf(solver);
    const { lines } = this.theme();
    return { colour: lines[k % lines.length], dash: DASHES[Math.floor(k / 4) % 3] };
  }

  private fill() {
    const { frozen } = this;
    if (!frozen) return;
    const left = this.solvers.length - this.curves.length;
    setText(this.caption,
      `Step ${frozen.step}, ${frozen.contacts} contacts, ${frozen.constraints} constraints.` +
      (left > 0 ? ` ${left} solvers to go …` : ""));
    const order = [...this.curves].sort((a, b) => a.residual - b.residual);
    this.table.replaceChildren(...order.map((curve) => {
      const { colour, dash } = this.style(curve.solver);
      const key = el("span", { class: "key", style: `border-top: 2px ${dash.length === 0 ? "solid" : dash[0] > 3 ? "dashed" : "dotted"} ${colour}` });
      const row = [key, curve.solver, scientific(curve.residual), String(curve.iterations), si(curve.seconds, "s")];
      return el("tr", { title: curve.status }, ...row.map((cell) => el("td", {}, cell)));
    }));
    this.draw();
  }

  draw() {
    if (!this.frozen || this.curves.length === 0) return;
    const column = this.overTime ? 1 : 0;
    const lines: Line[] = this.curves.filter((curve) => curve.points.length > 0).map((curve) => ({
      ...this.style(curve.solver),
      width: 1.8,
      x: curve.points.map((point) => Math.max(point[column], this.overTime ? 1e-6 : 1)),
      y: curve.points.map((point) => point[2]),
      count: curve.points.length,
    }));
    const xs = lines.flatMap((line) => Array.from(line.x));
    const ys = lines.flatMap((line) => Array.from(line.y)).filter((v) => v > 1e-16);
    const log = (values: number[]): Axis => {
      const low = Math.floor(Math.log10(Math.min(...values)) + 1e-9);
      const high = Math.ceil(Math.log10(Math.max(...values)) - 1e-9);
      return { log: true, low: Math.pow(10, low), high: Math.pow(10, Math.max(high, low + 1)), unit: "" };
    };
    if (xs.length > 0 && ys.length > 0) this.chart.draw(this.theme(), log(xs), log(ys), lines, this.frozen.tolerance);
  }
}
