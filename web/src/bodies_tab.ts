// The third tab: bodies and joints with search, and the selected body in numbers.
import { button, el, setText } from "./dom";
import { significant, si, vector } from "./format";
import { CONTACT, Frame, Scene } from "./protocol";
import { World } from "./world";

export interface BodyActions {
  select: (body: number) => void;
  follow: (body: number) => void; // the selected one, or -1
  plot: (joints: number[]) => void;
}

const MOST_ROWS = 300;

export class BodiesTab {
  readonly root = el("section", { id: "bodies" });
  private search = el("input", { type: "search", placeholder: "Search bodies and joints", "aria-label": "Search", id: "search" });
  private list = el("ul", { class: "list" });
  private details = el("div", { id: "details", hidden: "" });
  private heading = el("h2");
  private numbers = el("div");
  private follow: HTMLButtonElement;
  private world: World | null = null;
  private selected = -1;
  private followed = -1;
  private plotted: number[] = [];

  constructor(private actions: BodyActions) {
    this.search.addEventListener("input", () => this.fill());
    this.follow = button("Follow", "Move the camera along (L)", () =>
      actions.follow(this.followed === this.selected ? -1 : this.selected));
    this.details.append(el("div", { class: "heading" }, this.heading, this.follow), this.numbers);
    this.root.append(this.details, this.search, this.list);
  }

  start(world: World) {
    this.world = world;
    this.plotted = [];
    this.select(-1);
    this.fill();
  }

  focus() {
    this.search.focus();
  }

  select(body: number) {
    this.selected = body;
    this.details.hidden = body < 0;
    if (body >= 0) this.heading.textContent = this.world!.name(body);
    this.setFollowed(this.followed);
    this.numbers.replaceChildren(); // until the next frame
    for (const row of this.list.querySelectorAll<HTMLElement>("[data-body]")) {
      row.setAttribute("aria-pressed", String(Number(row.dataset.body) === body));
    }
  }

  setFollowed(body: number) {
    this.followed = body;
    const follows = body >= 0 && body === this.selected;
    setText(this.follow, follows ? "Stop following" : "Follow");
  }

  private fill() {
    const scene = this.world!.scene;
    const wanted = this.search.value.trim().toLowerCase();
    const rows: HTMLElement[] = [];
    scene.bodies.forEach((body, b) => {
      if (b === 0) return;
      const name = this.world!.name(b);
      if (wanted && !name.toLowerCase().includes(wanted)) return;
      const row = button(name, "Select", () => this.actions.select(b));
      row.dataset.body = String(b);
      row.setAttribute("aria-pressed", String(b === this.selected));
      row.append(el("small", {}, si(1000 * body.mass, "g")));
      rows.push(el("li", {}, row));
    });
    scene.joints.forEach((joint, j) => {
      const name = joint.name || `joint ${j} of ${this.world!.name(joint.body)}`;
      if (wanted && !name.toLowerCase().includes(wanted)) return;
      const row = button(name, "Plot its position", () => this.togglePlot(j));
      row.setAttribute("aria-pressed", String(this.plotted.includes(j)));
      row.className = "joint";
      row.append(el("small", {}, `${joint.type} · plot`));
      rows.push(el("li", {}, row));
    });
    const more = rows.length - MOST_ROWS;
    this.list.replaceChildren(...rows.slice(0, MOST_ROWS));
    if (more > 0) this.list.append(el("li", { class: "hint" }, `${more} more; search to find them`));
    if (rows.length === 0) this.list.append(el("li", { class: "hint" }, "Nothing has that name."));
  }

  private togglePlot(joint: number) {
    const at = this.plotted.indexOf(joint);
    if (at >= 0) this.plotted.splice(at, 1);
    else this.plotted.push(joint);
    this.actions.plot([...this.plotted]);
    this.fill();
  }

  update(frame: Frame) {
    const b = this.selected;
    if (b < 0 || !this.world || this.details.offsetParent === null) return;
    const scene: Scene = this.world.scene;
    const p = frame.poses.subarray(7 * b, 7 * b + 7);
    const rows: [string, string][] = [
      ["position, m", vector(p[0], p[1], p[2])],
      ["quaternion", `${p[3].toFixed(3)} ${vector(p[4], p[5], p[6])}`],
      ["mass", si(1000 * scene.bodies[b].mass, "g")],
      ["parent", this.world.name(scene.bodies[b].parent)],
    ];
    this.numbers.replaceChildren(
      el("dl", {}, ...rows.flatMap(([name, value]) => [el("dt", {}, name), el("dd", {}, value)])),
      this.contactTable(frame, b),
    );
  }

  // Forces by partner: of redundant contacts only the sum is unique.
  private contactTable(frame: Frame, body: number): HTMLElement {
    const partners = new Map<number, { count: number; force: number[] }>();
    for (let k = 0; k < frame.contactCount; ++k) {
      const at = CONTACT.words * k;
      const b1 = frame.contactInts[at + CONTACT.body1];
      const b2 = frame.contactInts[at + CONTACT.body2];
      if (b1 !== body && b2 !== body) continue;
      const other = b1 === body ? b2 : b1;
      const sign = b2 === body ? 1 : -1;
      const entry = partners.get(other) ?? { count: 0, force: [0, 0, 0] };
      entry.count += 1;
      for (let i = 0; i < 3; ++i) entry.force[i] += sign * frame.contacts[at + CONTACT.force + i];
      partners.set(other, entry);
    }
    if (partners.size === 0) return el("p", { class: "hint" }, "Touches nothing.");
    const rows = [...partners].map(([other, { count, force }]) =>
      el("tr", {},
        el("td", {}, this.world!.name(other)),
        el("td", {}, `×${count}`),
        el("td", {}, vector(force[0], force[1], force[2], 1)),
        el("td", {}, significant(Math.hypot(...force)))));
    return el("table", {},
      el("thead", {}, el("tr", {}, ...["touches", "", "force, N", "size"].map((name) => el("th", {}, name)))),
      el("tbody", {}, ...rows));
  }
}
