// Elements in few words.

type Child = Node | string | null;

export function el<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Record<string, string> = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children.filter((child) => child !== null));
  return element;
}

export function byId<T extends HTMLElement>(id: string): T {
  return document.getElementById(id) as T;
}

// Writes only what changes: most readouts stay the same from frame to frame.
export function setText(element: HTMLElement, text: string) {
  if (element.textContent !== text) element.textContent = text;
}

// The exponent raised by the browser: at this size a font's own small digits are too faint.
export function setScientific(element: HTMLElement, value: number) {
  const [digits, exponent] = Number.isFinite(value) ? value.toExponential(1).split("e") : ["–", ""];
  const text = value === 0 ? "0" : `${digits}×10${Number(exponent)}`.replace("-", "−");
  if (element.textContent === text) return;
  if (value === 0 || !exponent) element.textContent = text;
  else element.replaceChildren(`${digits}×10`, el("sup", {}, String(Number(exponent)).replace("-", "−")));
}

const ICONS = {
  play: "M5 3.2v9.6l8-4.8z",
  pause: "M4 3h3v10H4zM9 3h3v10H9z",
  step: "M3 3.2v9.6l7-4.8zM11 3h2v10h-2z",
  reset: "M8 2a6 6 0 1 0 6 6h-2a4 4 0 1 1-1.2-2.8L9 7h5V2l-1.8 1.8A6 6 0 0 0 8 2z",
  help: "M8 1a7 7 0 1 0 0 14A7 7 0 0 0 8 1zm0 11.7a1 1 0 1 1 0-2 1 1 0 0 1 0 2zm.9-3.6H7.2V8.2c0-1 .7-1.5 1.2-1.9.5-.4.8-.6.8-1.1 0-.6-.5-1-1.2-1-.8 0-1.2.5-1.3 1.1l-1.6-.3C5.3 3.6 6.4 2.7 8 2.7c1.7 0 2.900 1 2.900 2.500 0 1.200-.7 1.700-1.300 2.200-.4.3-.7.5-.7.9z",
  theme: "M8 1a7 7 0 1 0 0 14A7 7 0 0 0 8 1zm0 2v10A5 5 0 0 1 8 3z",
} as const;

export function icon(name: keyof typeof ICONS): SVGSVGElement {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("viewBox", "0 0 16 16");
  svg.setAttribute("aria-hidden", "true");
  const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
  path.setAttribute("d", ICONS[name]);
  path.setAttribute("fill-rule", "evenodd");
  svg.append(path);
  return svg;
}

export function button(label: string, title: string, press: () => void, ...children: Child[]) {
  const element = el("button", { type: "button", title, "aria-label": title }, ...children, label || null);
  element.addEventListener("click", press);
  return element;
}
