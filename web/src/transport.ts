// The bar below the picture: reset, run, step, time, scrubber, speed.
import { button, byId, el, icon, setText } from "./dom";
import { ControlState } from "./protocol";
import { Source } from "./source";

// Speeds of the slider, simulated seconds per second; the last is as fast as possible.
const SPEEDS = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 0];

export class Transport {
  private paused = true;
  private toggle: HTMLButtonElement;
  private time = el("output", { class: "time", title: "Simulated time" });
  private scrubber = el("input", {
    type: "range", min: "0", max: "1000", value: "0", class: "scrubber", "aria-label": "Time",
  });
  private speed = el("input", {
    type: "range", min: "0", max: String(SPEEDS.length - 1), value: "6", class: "speed", "aria-label": "Speed",
  });
  private speedText = el("output", { class: "speed-text" });
  private scrubbing = false;

  constructor(private source: Source) {
    this.toggle = button("", "Run or pause (space)", () => this.runOrPause(), icon("play"));
    this.toggle.className = "primary";
    this.toggle.id = "run";
    const step = button("", source.live ? "One step (right arrow)" : "One frame (right arrow)", () => source.step(), icon("step"));
    step.id = "step";
    const reset = button("", "Back to the start (backspace)", () => source.reset(), icon("reset"));
    reset.id = "reset";
    this.scrubber.addEventListener("input", () => {
      this.scrubbing = true;
      source.seek(source.start + (Number(this.scrubber.value) / 1000) * source.duration);
    });
    this.scrubber.addEventListener("change", () => (this.scrubbing = false));
    this.speed.addEventListener("input", () => source.setSpeed(this.chosenSpeed()));
    byId("transport").append(
      el("div", { class: "buttons" }, reset, this.toggle, step),
      this.time,
      this.scrubber,
      el("label", { class: "speeds", title: "Speed against real time" }, this.speed, this.speedText),
    );
    if (!source.live) this.speed.max = String(SPEEDS.length - 2);
  }

  private chosenSpeed(): number {
    return SPEEDS[Number(this.speed.value)];
  }

  runOrPause() {
    if (this.paused) this.source.run();
    else this.source.pause();
  }

  show(state: ControlState) {
    this.paused = state.paused;
    this.toggle.replaceChildren(icon(state.paused ? "play" : "pause"));
    this.toggle.dataset.state = state.paused ? "paused" : "running";
    const nearest = SPEEDS.reduce((best, speed, k) =>
      speed > 0 && Math.abs(Math.log(speed / state.speed)) < Math.abs(Math.log(SPEEDS[best] / state.speed)) ? k : best, 0);
    this.speed.value = String(state.speed === 0 ? SPEEDS.length - 1 : nearest);
    setText(this.speedText, state.speed === 0 ? "max" : `${state.speed}×`);
  }

  update(time: number) {
    setText(this.time, `${time.toFixed(3)} s`);
    if (this.scrubbing) return;
    const share = this.source.duration > 0 ? (time - this.source.start) / this.source.duration : 0;
    this.scrubber.value = String(Math.round(1000 * Math.min(Math.max(share, 0), 1)));
  }
}
