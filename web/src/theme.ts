// Colours. Lines and marks are Okabe and Ito's, which colour-blind people can tell apart; where
// two things must not be confused, their shapes differ as well.

export const BLUE = "#0072b2";
export const ORANGE = "#e69f00";
export const VERMILLION = "#d55e00";
export const GREEN = "#009e73";
export const SKY = "#56b4e9";
export const PURPLE = "#cc79a7";

export interface Theme {
  dark: boolean;
  background: string;
  horizon: string; // far away, where the grid fades out
  grid: string;
  shadow: number; // opacity
  ink: string;
  faint: string;
  rule: string;
  lines: string[]; // of plots
  stick: string;
  slip: string;
  open: string;
  select: string;
}

const LIGHT: Theme = {
  dark: false,
  background: "#eef0f1",
  horizon: "#f6f7f8",
  grid: "#8c979f",
  shadow: 0.26,
  ink: "#1c2326",
  faint: "#69757c",
  rule: "#d5dadd",
  lines: [BLUE, VERMILLION, GREEN, PURPLE, "#8a6100", SKY, "#4d4d4d", ORANGE, "#6a3d9a", "#00606a"],
  stick: BLUE,
  slip: VERMILLION,
  open: "#8d989e",
  select: ORANGE,
};

const DARK: Theme = {
  dark: true,
  background: "#14181b",
  horizon: "#1b2024",
  grid: "#66727a",
  shadow: 0.5,
  ink: "#e6eaec",
  faint: "#93a0a8",
  rule: "#30383d",
  lines: [SKY, ORANGE, "#2fc79b", PURPLE, "#f0e442", "#3f8fd0", "#bfc7cb", VERMILLION, "#b39ddb", "#7fd4dc"],
  stick: SKY,
  slip: ORANGE,
  open: "#7d8a92",
  select: "#f0e442",
};

// The system's choice until somebody presses the key.
export function startTheme(): Theme {
  const asked = new URLSearchParams(location.search).get("theme") ?? remembered();
  const dark = asked ? asked === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  return dark ? DARK : LIGHT;
}

export function otherTheme(theme: Theme): Theme {
  const next = theme.dark ? LIGHT : DARK;
  try {
    localStorage.setItem("theme", next.dark ? "dark" : "light");
  } catch {
    // A page from disk may have no storage; then the choice lasts as long as the page.
  }
  return next;
}

function remembered(): string | null {
  try {
    return localStorage.getItem("theme");
  } catch {
    return null;
  }
}
