// A recording that stands in the page itself: no server, no network.
import { Box3, Vector3 } from "three";
import { ControlState } from "./protocol";
import { readRecording, Recording } from "./recording";
import { Listener, Source } from "./source";
import type { World } from "./world";

const MOMENTS = 40;
const MOST_GROWTH = 6; // times the size at the start

export class Replay implements Source {
  readonly live = false;
  private recording: Recording | null = null;
  private listener: Listener | null = null;
  private now = 0; // s, recorded time
  private wall = 0; // ms, of the last picture
  private shown = NaN;
  private control: ControlState = { paused: false, speed: 1, solver: "", iterations: 0, tolerance: 1e-8, error: "" };

  constructor(private base64: string) {}

  get start(): number {
    return this.recording?.times[0] ?? 0;
  }
  get duration(): number {
    const times = this.recording?.times;
    return times ? times[times.length - 1] - times[0] : 0;
  }

  listen(listener: Listener) {
    this.listener = listener;
    readRecording(this.base64).then(
      (recording) => this.begin(recording),
      (error: unknown) => listener.connection(`The recording cannot be read: ${String(error)}`),
    );
  }

  private begin(recording: Recording) {
    const { title, sentence, scene, solver, tolerance } = recording.header;
    this.recording = recording;
    this.control.solver = solver;
    this.control.tolerance = tolerance;
    // A picture wants one moment, at once and standing still.
    const asked = new URLSearchParams(location.hash.slice(1)).get("t");
    this.now = this.start;
    this.listener!.scene({ title, sentence, hint: "", scene, solvers: [solver], report: recording.report });
    this.show(0);
    if (asked !== null) this.seek(Number(asked));
    this.tell();
  }

  private tell() {
    this.listener!.state({ ...this.control });
  }

  // The frame at or before `now`.
  private index(): number {
    const { times } = this.recording!;
    let low = 0;
    let high = times.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (times[middle] <= this.now + 1e-9) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  private show(index: number) {
    const { times, frame } = this.recording!;
    const span = index + 1 < times.length ? times[index + 1] - times[index] : 0;
    const share = span > 0 ? Math.min(Math.max((this.now - times[index]) / span, 0), 1) : 0;
    this.shown = this.now;
    this.listener!.frame(frame(index, share));
  }

  // A few dozen moments say enough; what flies away is let go.
  bounds(world: World): Box3 {
    const { times, frame } = this.recording!;
    const box = world.bounds();
    const most = MOST_GROWTH * box.getSize(new Vector3()).length();
    for (let k = 1; k <= MOMENTS; ++k) {
      world.update(frame(Math.floor((k / MOMENTS) * (times.length - 1)), 0));
      const wider = box.clone().union(world.bounds());
      if (wider.getSize(new Vector3()).length() < most) box.copy(wider);
    }
    return box;
  }

  tick() {
    const wall = performance.now();
    const elapsed = Math.min(wall - this.wall, 100) / 1000;
    this.wall = wall;
    if (!this.recording) return;
    if (!this.control.paused) {
      this.now += elapsed * this.control.speed;
      if (this.now >= this.start + this.duration) {
        this.now = this.start + this.duration;
        this.pause();
      }
    }
    if (this.now !== this.shown) this.show(this.index());
  }

  run() {
    if (this.now >= this.start + this.duration) this.now = this.start;
    this.control.paused = false;
    this.tell();
  }
  pause() {
    this.control.paused = true;
    this.tell();
  }
  step() {
    if (!this.recording) return;
    this.pause();
    const { times } = this.recording;
    this.now = times[Math.min(this.index() + 1, times.length - 1)];
  }
  reset() {
    this.now = this.start;
  }
  setSpeed(speed: number) {
    this.control.speed = speed;
    this.tell();
  }
  seek(time: number) {
    this.now = Math.min(Math.max(time, this.start), this.start + this.duration);
    if (!this.control.paused) this.pause();
  }

  // What only a simulation can do; the page offers none of it for a recording.
  setSolver() {}
  drag() {}
  release() {}
  freeze() {}
}
