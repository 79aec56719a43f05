// Small plots on canvas: a quantity over the last seconds, and convergence curves.
import { scientific, si, superscript } from "./format";
import { Theme } from "./theme";

export interface Line {
  colour: string;
  dash?: number[];
  width?: number;
  x: ArrayLike<number>;
  y: ArrayLike<number>;
  count: number;
}

export interface Axis {
  log: boolean;
  low: number;
  high: number;
  unit: string;
}

const LEFT = 46;
const BOTTOM = 16;
const TOP = 6;
const RIGHT = 8;

export class Chart {
  private context: CanvasRenderingContext2D;

  constructor(readonly canvas: HTMLCanvasElement) {
    this.context = canvas.getContext("2d")!;
  }

  // False while it is not on the screen.
  draw(theme: Theme, x: Axis, y: Axis, lines: Line[], limit?: number): boolean {
    const { canvas, context } = this;
    const width = canvas.clientWidth;
    const height = canvas.clientHeight;
    if (width === 0 || height === 0) return false;
    const ratio = Math.min(devicePixelRatio, 2);
    if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
      canvas.width = Math.round(width * ratio);
      canvas.height = Math.round(height * ratio);
    }
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, width, height);
    const right = width - RIGHT;
    const bottom = height - BOTTOM;
    const toX = scale(x, LEFT, right);
    const toY = scale(y, bottom, TOP);
    context.font = "10.5px 'IBM Plex Sans', sans-serif";
    context.lineWidth = 1;
    this.gridY(theme, y, toY, right);
    this.labelsX(theme, x, toX, bottom);
    context.save();
    context.beginPath();
    context.rect(LEFT, TOP - 2, right - LEFT, bottom - TOP + 4);
    context.clip();
    if (limit !== undefined) this.limit(theme, toY(limit), right);
    for (const line of lines) this.line(line, toX, toY, y);
    context.restore();
    return true;
  }

  private gridY(theme: Theme, y: Axis, toY: (v: number) => number, right: number) {
    const { context } = this;
    context.textAlign = "right";
    context.textBaseline = "middle";
    for (const tick of ticks(y, 4)) {
      const at = Math.round(toY(tick)) + 0.5;
      context.strokeStyle = theme.rule;
      context.beginPath();
      context.moveTo(LEFT, at);
      context.lineTo(right, at);
      context.stroke();
      context.fillStyle = theme.faint;
      context.fillText(label(tick, y), LEFT - 6, at);
    }
  }

  private labelsX(theme: Theme, x: Axis, toX: (v: number) => number, bottom: number) {
    const { context } = this;
    context.textBaseline = "top";
    context.fillStyle = theme.faint;
    context.textAlign = "center";
    for (const tick of ticks(x, 5)) {
      const at = toX(tick);
      if (at < LEFT + 8 || at > this.canvas.clientWidth - RIGHT - 10) continue;
      context.fillText(label(tick, x), at, bottom + 4);
    }
  }

  private limit(theme: Theme, at: number, right: number) {
    const { context } = this;
    context.strokeStyle = theme.faint;
    context.setLineDash([2, 3]);
    context.beginPath();
    context.moveTo(LEFT, at);
    context.lineTo(right, at);
    context.stroke();
    context.setLineDash([]);
  }

  private line(line: Line, toX: (v: number) => number, toY: (v: number) => number, y: Axis) {
    const { context } = this;
    context.strokeStyle = line.colour;
    context.lineWidth = line.width ?? 1.5;
    context.lineJoin = "round";
    context.setLineDash(line.dash ?? []);
    context.beginPath();
    for (let k = 0; k < line.count; ++k) {
      const value = y.log ? Math.max(line.y[k], y.low) : line.y[k];
      if (k === 0) context.moveTo(toX(line.x[k]), toY(value));
      else context.lineTo(toX(line.x[k]), toY(value));
    }
    context.stroke();
    context.setLineDash([]);
  }
}

function scale(axis: Axis, from: number, to: number): (value: number) => number {
  const f = axis.log ? Math.log10 : (v: number) => v;
  const low = f(axis.low);
  const span = f(axis.high) - low || 1;
  return (value) => from + ((f(value) - low) / span) * (to - from);
}

function ticks(axis: Axis, about: number): number[] {
  if (axis.log) {
    const low = Math.ceil(Math.log10(axis.low) - 1e-9);
    const high = Math.floor(Math.log10(axis.high) + 1e-9);
    const step = Math.max(1, Math.ceil((high - low) / about));
    const all = [];
    for (let k = low; k <= high; k += step) all.push(Math.pow(10, k));
    return all;
  }
  const span = axis.high - axis.low;
  if (!(span > 0) || !Number.isFinite(span)) return [axis.low];
  const rough = span / about;
  const power = Math.pow(10, Math.floor(Math.log10(rough)));
  const step = [1, 2, 5, 10].map((m) => m * power).find((s) => s >= rough)!;
  const all = [];
  for (let k = Math.ceil(axis.low / step - 1e-9); k * step <= axis.high + 1e-9 * step; ++k) all.push(k * step);
  return all;
}

function label(value: number, axis: Axis): string {
  if (axis.log) {
    const exponent = Math.round(Math.log10(value));
    return exponent >= 0 && exponent <= 3 ? String(Math.round(value)) : `10${superscript(exponent)}`;
  }
  if (value === 0) return "0";
  const size = Math.max(Math.abs(axis.low), Math.abs(axis.high));
  if (axis.unit === "" || (size >= 0.1 && size < 1e4)) return String(Number(value.toPrecision(4)));
  const text = si(value, "").trim();
  return text.length < 8 ? text.replace(/\.0+(?=\s|$)/, "") : scientific(value);
}

// The last seconds of several quantities, sampled at the same times.
export class History {
  time: number[] = [];
  values: number[][];

  constructor(names: number) {
    this.values = Array.from({ length: names }, () => []);
  }

  add(time: number, values: number[]) {
    const last = this.time[this.time.length - 1];
    if (last !== undefined && time <= last) {
      // Looking back or a reset: what lies ahead is cut off.
      let keep = this.time.length;
      while (keep > 0 && this.time[keep - 1] >= time) --keep;
      this.time.length = keep;
      for (const series of this.values) series.length = keep;
    }
    this.time.push(time);
    this.values.forEach((series, k) => series.push(values[k] ?? NaN));
    if (this.time.length > 8000) {
      this.time.splice(0, 2000);
      for (const series of this.values) series.splice(0, 2000);
    }
  }

  clear() {
    this.time = [];
    this.values = this.values.map(() => []);
  }

  // How many samples are before `time`, or at it too.
  before(time: number, inclusive = false): number {
    let low = 0;
    let high = this.time.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.time[middle] < time || (inclusive && this.time[middle] === time)) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
