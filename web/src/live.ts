// The simulation behind the server. Frames are kept for a while, so that one can look back.
import type { Box3 } from "three";
import { decodeFrame, Frame, Message } from "./protocol";
import { Listener, Source } from "./source";
import type { World } from "./world";

const KEPT_BYTES = 96e6;
const RETRY = 1000; // ms

export class Live implements Source {
  readonly live = true;
  private socket: WebSocket | null = null;
  private listener: Listener | null = null;
  private newest: ArrayBuffer | null = null;
  private kept: { time: number; data: ArrayBuffer }[] = [];
  private bytes = 0;
  private paused = false;
  private back: number | null = null; // the time that is looked at, if not the newest
  private dragged: string | null = null; // the last wish not yet sent

  get start(): number {
    return this.kept.length > 0 ? this.kept[0].time : 0;
  }
  get duration(): number {
    return this.kept.length > 0 ? this.kept[this.kept.length - 1].time - this.start : 0;
  }

  listen(listener: Listener) {
    this.listener = listener;
    this.connect();
  }

  private connect() {
    const socket = new WebSocket(`ws://${location.host}/stream`);
    socket.binaryType = "arraybuffer";
    socket.onopen = () => this.listener!.connection(null);
    socket.onmessage = (event) => {
      if (typeof event.data === "string") this.take(JSON.parse(event.data) as Message);
      else this.keep(event.data as ArrayBuffer);
    };
    socket.onclose = (event) => {
      this.listener!.connection(event.reason || "The program is gone; waiting for it to come back.");
      setTimeout(() => this.connect(), RETRY);
    };
    this.socket = socket;
  }

  private take(message: Message) {
    const listener = this.listener!;
    if (message.type === "scene") {
      this.forget();
      listener.scene({ ...message, report: null });
    } else if (message.type === "state") {
      this.paused = message.paused;
      if (!message.paused) this.back = null;
      listener.state(message);
    } else if (message.type === "freeze") {
      listener.freeze(message);
    } else {
      listener.curve(message);
    }
  }

  private keep(data: ArrayBuffer) {
    const time = new DataView(data).getFloat64(8, true);
    if (time < this.start + this.duration) this.forget();
    this.newest = data;
    if (this.kept.length === 0 || time > this.start + this.duration) {
      this.kept.push({ time, data });
      this.bytes += data.byteLength;
    }
    while (this.bytes > KEPT_BYTES) this.bytes -= this.kept.shift()!.data.byteLength;
  }

  private forget() {
    this.kept = [];
    this.bytes = 0;
    this.back = null;
  }

  bounds(world: World): Box3 {
    return world.bounds();
  }

  tick() {
    if (this.dragged) this.send(this.dragged);
    this.dragged = null;
    if (!this.newest || this.back !== null) return;
    const frame: Frame = decodeFrame(this.newest);
    this.newest = null;
    this.listener!.frame(frame);
  }

  private send(text: string) {
    if (this.socket?.readyState === WebSocket.OPEN) this.socket.send(text);
  }
  private tell(message: object) {
    this.send(JSON.stringify(message));
  }

  run() {
    this.tell({ type: "run" });
  }
  pause() {
    this.tell({ type: "pause" });
  }
  step() {
    this.back = null;
    this.tell({ type: "step" });
  }
  reset() {
    this.tell({ type: "reset" });
  }
  setSpeed(speed: number) {
    this.tell({ type: "speed", speed });
  }
  setSolver(solver: string, iterations: number, tolerance: number) {
    this.tell({ type: "solver", solver, iterations, tolerance });
  }
  drag(body: number, point: number[], target: number[]) {
    this.dragged = JSON.stringify({ type: "drag", body, point, target });
  }
  release() {
    this.dragged = null;
    this.tell({ type: "release" });
  }
  freeze() {
    this.tell({ type: "freeze" });
  }

  // Looks back; the simulation waits meanwhile.
  seek(time: number) {
    if (this.kept.length === 0) return;
    if (!this.paused) this.pause();
    let low = 0;
    let high = this.kept.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.kept[middle].time <= time) low = middle;
      else high = middle - 1;
    }
    this.back = low === this.kept.length - 1 ? null : this.kept[low].time;
    this.listener!.frame(decodeFrame(this.kept[low].data));
  }
}
