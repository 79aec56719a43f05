// Keyboard help, on `?`.
import { button, byId, el } from "./dom";
import { SWITCHES } from "./view_tab";

export function buildHelp(live: boolean) {
  const rows: [string, string][] = [
    ["Space", "run or pause"],
    ["→", live ? "one step" : "one frame"],
    ["Backspace", "back to the start"],
    ["1 2 3 4", "monitor, solver, bodies, view"],
    ["/", "search bodies and joints"],
    ["H", "the whole scene"],
    ["L", "follow the selected body"],
    ["D", "light or dark"],
    ["P", "panel on or off"],
    ["Esc", "select nothing"],
    ...SWITCHES.map(([, key, label]): [string, string] => [key.toUpperCase(), label.toLowerCase()]),
  ];
  const mouse: [string, string][] = [
    ["click", "select a body"],
    ...(live ? [["drag a body", "pull it by a spring"] as [string, string]] : []),
    [live ? "drag elsewhere, Alt-drag" : "drag", "turn the camera"],
    ["right-drag, Shift-drag", "move the camera"],
    ["wheel", "nearer or farther"],
  ];
  const table = (entries: [string, string][]) =>
    el("dl", {}, ...entries.flatMap(([key, what]) => [el("dt", {}, el("kbd", {}, key)), el("dd", {}, what)]));
  const dialog = byId<HTMLDialogElement>("help");
  const close = button("Close", "Close (Esc)", () => dialog.close());
  dialog.replaceChildren(
    el("div", { class: "heading" }, el("h2", {}, "Keys and mouse"), close),
    el("div", { class: "columns" }, table(rows.slice(0, 10)), table(rows.slice(10)), table(mouse)),
  );
  dialog.addEventListener("click", (event) => {
    if (event.target === dialog) dialog.close();
  });
}
