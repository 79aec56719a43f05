// The fourth tab: what is drawn, from where, and what can be taken away.
import { button, el } from "./dom";
import { Shown } from "./overlay";
import { SceneCamera } from "./protocol";
import { View } from "./stage";
import { Look } from "./world";

export type Switch = keyof Shown | keyof Look;

export interface ViewActions {
  changed: () => void;
  look: (view: View) => void;
  mount: (camera: SceneCamera) => void;
  forceScale: (scale: number) => void;
  theme: () => void;
}

// Name, key, what it says.
export const SWITCHES: [Switch, string, string][] = [
  ["points", "c", "Contact points"],
  ["arrows", "f", "Forces"],
  ["cones", "n", "Friction cones"],
  ["frames", "x", "Body frames"],
  ["centres", "m", "Centres of mass"],
  ["collision", "g", "Collision geometry"],
  ["transparent", "t", "Transparent"],
  ["wireframe", "w", "Wireframe"],
];

export class ViewTab {
  readonly root = el("section", { id: "view" });
  readonly on: Record<Switch, boolean> = {
    points: true, arrows: true, cones: false, frames: false, centres: false,
    collision: false, transparent: false, wireframe: false,
  };
  private boxes = new Map<Switch, HTMLInputElement>();
  private cameras = el("div", { class: "chips" });

  constructor(private actions: ViewActions, live: boolean) {
    const list = el("div", { class: "switches" });
    for (const [name, key, label] of SWITCHES) {
      const box = el("input", { type: "checkbox", id: `show-${name}` });
      box.checked = this.on[name];
      box.addEventListener("change", () => {
        this.on[name] = box.checked;
        actions.changed();
      });
      this.boxes.set(name, box);
      list.append(el("label", {}, box, el("span", {}, label), el("kbd", {}, key.toUpperCase())));
    }
    const scale = el("input", { type: "range", min: "-1", max: "1", step: "0.05", value: "0", "aria-label": "Length of force arrows" });
    scale.addEventListener("input", () => actions.forceScale(Math.pow(10, Number(scale.value))));
    this.root.append(
      el("h2", {}, "Show"), list,
      el("label", { class: "slider" }, "Arrow length", scale),
      el("h2", {}, "Camera"), this.cameras,
      el("h2", {}, "Colours"), button("Light or dark", "Light or dark (D)", actions.theme),
    );
    if (live) this.root.append(el("h2", {}, "Download"), downloads());
  }

  start(cameras: SceneCamera[]) {
    const views: [View, string][] = [["home", "Home"], ["front", "Front"], ["side", "Side"], ["top", "Top"]];
    this.cameras.replaceChildren(
      ...views.map(([view, name]) => button(name, `Look from ${name}`, () => this.actions.look(view))),
      ...cameras.map((camera, k) =>
        button(camera.name || `camera ${k}`, "A camera of the model", () => this.actions.mount(camera))),
    );
  }

  set(name: Switch, on: boolean) {
    this.on[name] = on;
    this.boxes.get(name)!.checked = on;
    this.actions.changed();
  }
}

function downloads(): HTMLElement {
  const link = (file: string, label: string, title: string) =>
    el("a", { href: `/download/${file}`, download: file, title, class: "button" }, label);
  return el("div", { class: "chips" },
    link("problem.hdf5", "This step's problem", "FCLIB's HDF5 form; stiction solve reads it"),
    link("recording.h5", "The recording", "HDF5; stiction replay, render and view read it"));
}
