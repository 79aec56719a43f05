// Where frames come from: a simulation that runs behind the server, or a recording.
import type { Box3 } from "three";
import { ControlState, Curve, Frame, Frozen, Scene } from "./protocol";
import type { World } from "./world";

export interface Title {
  title: string;
  sentence: string;
  hint: string; // what to try, or empty
  solvers: string[];
  scene: Scene;
  report: Report | null; // of the whole, where it is known beforehand
}

export interface Report {
  times: ArrayLike<number>;
  residual: ArrayLike<number>;
  energy: ArrayLike<number>;
  penetration: ArrayLike<number>;
  solveSeconds: ArrayLike<number>;
}

export interface Listener {
  scene: (title: Title) => void;
  frame: (frame: Frame) => void;
  state: (state: ControlState) => void;
  freeze: (frozen: Frozen) => void;
  curve: (curve: Curve) => void;
  connection: (lost: string | null) => void; // why, or null: it is there again
}

export interface Source {
  readonly live: boolean;
  readonly duration: number; // s; of what can be scrubbed
  readonly start: number; // s
  listen(listener: Listener): void;
  bounds(world: World): Box3; // of all that will be seen, as far as that is known; it moves the world's bodies
  run(): void;
  pause(): void;
  step(): void;
  reset(): void;
  setSpeed(speed: number): void;
  seek(time: number): void;
  setSolver(solver: string, iterations: number, tolerance: number): void;
  drag(body: number, point: number[], target: number[]): void;
  release(): void;
  freeze(): void;
  tick(): void; // before every picture
}
