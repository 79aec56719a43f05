// The page: a stage, a transport bar and a panel of four tabs, fed by one source of frames.
import * as THREE from "three";
import { BodiesTab } from "./bodies_tab";
import { button, byId, el, icon, setText } from "./dom";
import { si } from "./format";
import { buildHelp } from "./help";
import { Live } from "./live";
import { Monitor } from "./monitor";
import { Overlay } from "./overlay";
import { Pointer } from "./pointer";
import { Frame } from "./protocol";
import { Replay } from "./replay";
import { SolverTab } from "./solver_tab";
import { Source, Title } from "./source";
import { Stage } from "./stage";
import "./style.css";
import { otherTheme, startTheme } from "./theme";
import { Transport } from "./transport";
import { SWITCHES, ViewTab } from "./view_tab";
import { World } from "./world";

let theme = startTheme();
const recorded = document.getElementById("recording");
const source: Source = recorded ? new Replay(recorded.textContent!.trim()) : new Live();
const stage = new Stage(byId<HTMLCanvasElement>("canvas"), theme);
let world: World | null = null;
let overlay: Overlay | null = null;
let frame: Frame | null = null;
let fresh = false; // the frame is not yet in the plots and the panel
let selected = -1;
const spent: number[] = []; // ms of script for each of the last pictures, before it is drawn

const transport = new Transport(source);
const monitor = new Monitor(source.live ? () => showTab(tabs.indexOf(solver.root)) : null);
const solver = new SolverTab(source, () => theme);
const bodies = new BodiesTab({ select, follow, plot: (joints) => monitor.plotJoints(joints) });
const view = new ViewTab(
  {
    changed: () => redraw(),
    look: (side) => stage.look(side),
    mount: (camera) => stage.mount(camera),
    forceScale: (scale) => {
      if (overlay) overlay.forceScale = scale;
      redraw();
    },
    theme: changeTheme,
  },
  source.live,
);
const pointer = new Pointer(
  stage,
  {
    select,
    drag: source.live ? (body, point, target) => source.drag(body, point, target) : null,
    release: () => source.release(),
  },
  theme,
);
const tabs = buildPanel();

function buildPanel(): HTMLElement[] {
  const names: [string, HTMLElement][] = [
    ["Monitor", monitor.root],
    ...(source.live ? [["Solver", solver.root] as [string, HTMLElement]] : []),
    ["Bodies", bodies.root],
    ["View", view.root],
  ];
  const bar = el("nav", { role: "tablist" });
  const buttons = names.map(([name], k) => {
    const tab = button(name, `${name} (${k + 1})`, () => showTab(k));
    tab.setAttribute("role", "tab");
    return tab;
  });
  const help = button("", "Keys and mouse (?)", toggleHelp, icon("help"));
  const dark = button("", "Light or dark (D)", changeTheme, icon("theme"));
  help.className = dark.className = "quiet";
  bar.append(...buttons, el("span", { class: "space" }), dark, help);
  byId("panel").append(bar, el("div", { class: "tabs" }, ...names.map(([, root]) => root)));
  return names.map(([, root]) => root);
}

function showTab(index: number) {
  if (!tabs[index]) return;
  tabs.forEach((tab, k) => (tab.hidden = k !== index));
  document.querySelectorAll("[role=tab]").forEach((tab, k) => tab.setAttribute("aria-selected", String(k === index)));
  document.body.classList.remove("bare");
  solver.draw();
  fresh = true;
}

function showScene({ title, sentence, hint, solvers, scene, report }: Title) {
  document.title = `${title} · Stiction`;
  byId("title").replaceChildren(el("h1", {}, title), el("p", {}, sentence), hint ? el("p", { class: "try" }, el("b", {}, "Try: "), hint) : "");
  if (overlay) stage.scene.remove(overlay.group);
  stage.follow(-1);
  world = new World(scene, theme);
  overlay = null;
  frame = null;
  monitor.start(scene, report);
  solver.start(solvers);
  bodies.start(world);
  view.start(scene.cameras);
  pointer.show(world);
}

function showFrame(next: Frame) {
  if (!world) return;
  frame = next;
  fresh = true;
  world.update(frame);
  if (overlay) return;
  announce();
  // The first one says how large the scene is; a recording also where it goes.
  stage.show(world, source.bounds(world));
  world.update(frame);
  overlay = new Overlay(world, stage.radius, theme);
  stage.scene.add(overlay.group);
  redraw();
}

function redraw() {
  if (!world || !overlay || !frame) return;
  world.setLook(view.on);
  overlay.update(frame, view.on);
  stage.invalidate();
}

function select(body: number) {
  selected = body;
  world?.select(body);
  bodies.select(body);
  fresh = true;
}

function follow(body: number) {
  stage.follow(body);
  bodies.setFollowed(body);
}

function changeTheme() {
  theme = otherTheme(theme);
  applyTheme();
}

function applyTheme() {
  document.documentElement.dataset.theme = theme.dark ? "dark" : "light";
  stage.setTheme(theme);
  world?.setTheme(theme);
  overlay?.setTheme(theme);
  fresh = true;
  redraw();
  solver.draw();
}

function notice(text: string | null) {
  byId("notice").hidden = text === null;
  setText(byId("notice"), text ?? "");
}

function toggleHelp() {
  const dialog = byId<HTMLDialogElement>("help");
  if (dialog.open) dialog.close();
  else dialog.showModal();
}

function onKey(event: KeyboardEvent) {
  const typing = event.target instanceof HTMLInputElement && event.target.type !== "range" && event.target.type !== "checkbox";
  if (event.key === "Escape" && typing) (event.target as HTMLElement).blur();
  if (byId<HTMLDialogElement>("help").open && event.key !== "?") return; // it closes by itself on Escape
  if (typing || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.target instanceof HTMLSelectElement && event.key !== "?") return;
  const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
  const toggled = SWITCHES.find(([, letter]) => letter === key);
  const actions: Record<string, () => void> = {
    " ": () => transport.runOrPause(),
    ArrowRight: () => source.step(),
    Backspace: () => source.reset(),
    "?": toggleHelp,
    "/": () => {
      showTab(tabs.indexOf(bodies.root));
      bodies.focus();
    },
    h: () => stage.look("home"),
    l: () => follow(stage.following >= 0 ? -1 : selected),
    d: changeTheme,
    p: () => document.body.classList.toggle("bare"),
    Escape: () => select(-1),
  };
  if (toggled) view.set(toggled[0], !view.on[toggled[0]]);
  else if (/^[1-4]$/.test(key)) showTab(Number(key) - 1);
  else if (actions[key]) actions[key]();
  else return;
  event.preventDefault();
}

function showTag() {
  const tag = byId("tag");
  tag.hidden = selected < 0 || !world;
  if (tag.hidden) return;
  const at = new THREE.Vector3().setFromMatrixPosition(world!.bodyMatrix(selected)).project(stage.camera);
  const box = stage.renderer.domElement.getBoundingClientRect();
  tag.hidden = Math.abs(at.x) > 1 || Math.abs(at.y) > 1 || at.z > 1;
  tag.style.transform = `translate(${((at.x + 1) / 2) * box.width}px, ${((1 - at.y) / 2) * box.height}px)`;
  setText(tag, world!.name(selected));
}

function showLegend() {
  const legend = byId("legend");
  const items: HTMLElement[] = [];
  if (view.on.points || view.on.arrows || view.on.cones) {
    items.push(
      el("span", {}, el("i", { class: "dot", style: `background:${theme.stick}` }), "sticks"),
      el("span", {}, el("i", { class: "diamond", style: `background:${theme.slip}` }), "slips"),
    );
  }
  if (view.on.arrows && overlay && overlay.longest > 0) {
    items.push(el("span", {}, `longest arrow ${si(overlay.longest, "N")}`));
  }
  const text = items.map((item) => item.textContent).join() + theme.dark;
  if (legend.dataset.text === text) return;
  legend.dataset.text = text;
  legend.replaceChildren(...items);
}

function animate() {
  requestAnimationFrame(animate);
  const begin = performance.now();
  source.tick();
  const counts = frame && fresh;
  if (frame && fresh) {
    fresh = false;
    stage.invalidate();
    overlay?.update(frame, view.on);
    transport.update(frame.time);
    monitor.update(frame, theme);
    bodies.update(frame);
    showLegend();
    stage.keepInView();
  }
  pointer.update();
  if (counts) spent.push(performance.now() - begin);
  if (spent.length > 600) spent.shift();
  stage.render();
  showTag();
}

// For whoever takes pictures: `ready`, and `seek`, which resolves when the moment is on the screen;
// and for whoever measures: `cost` of the `pictures` since the last asking.
const twoPictures = () => new Promise<void>((done) => requestAnimationFrame(() => requestAnimationFrame(() => done())));
let announce: () => void;
const ready = new Promise<void>((done) => (announce = done));
Object.assign(window, {
  stiction: {
    ready: Promise.all([ready, document.fonts.ready]).then(twoPictures),
    seek: (time: number) => {
      source.seek(time);
      return twoPictures();
    },
    pictures: () => spent.length,
    cost: () => ({ draws: stage.renderer.info.render.calls, milliseconds: spent.splice(0) }),
  },
});

buildHelp(source.live);
showTab(0);
applyTheme();
addEventListener("keydown", onKey);
source.listen({
  scene: showScene,
  frame: showFrame,
  state: (state) => {
    transport.show(state);
    monitor.show(state);
    solver.show(state);
    notice(state.error || null);
  },
  freeze: (frozen) => {
    showTab(tabs.indexOf(solver.root));
    solver.freeze(frozen);
  },
  curve: (curve) => solver.add(curve),
  connection: notice,
});
requestAnimationFrame(animate);
