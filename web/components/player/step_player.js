// The one player: a slider through steps, a play button, and the name of the step. Its subclasses
// draw the steps: tokens of a text, checkpoints of a training, layers of a model.

import { onResize } from "../common/canvas.js";
import { find } from "../common/find.js";
import { Part } from "../common/part.js";
import { onPlay } from "../common/stage.js";

const DWELL = 900; // milliseconds a step stays during playback

/**
 * @template {{ strings: Record<string, string> }} Data
 * @extends {Part<Data>}
 */
export class StepPlayer extends Part {
  playButton = find(this.root, ".play");
  slider = find(this.root, "input", HTMLInputElement);
  position = find(this.root, "output");
  playing = false;
  waiting = false; // whether the step is not complete yet; {@link resume} continues the playback

  /** @param {Made} made */
  constructor(...made) {
    super(...made);
    const { root, signal } = this;
    const toggle = () => (this.playing ? this.pause() : this.play());
    this.playButton.onclick = toggle;
    this.slider.oninput = () => this.jump(this.step);
    onPlay(toggle, signal);
    onResize(root, () => this.draw(), signal);
    signal.addEventListener("abort", () => clearTimeout(this.playTimer));
  }

  /** For a subclass. @returns {string} what the slider's place shows */
  stepName() {
    return "";
  }

  /** For a subclass: draw the step that is shown. */
  drawStep() {}

  /** For a subclass; called after a person or the playback moved to another step. */
  moved() {}

  get step() {
    return Number(this.slider.value);
  }

  get last() {
    return Number(this.slider.max);
  }

  play() {
    this.playing = true;
    this.advance();
  }

  advance() {
    this.go(this.step === this.last ? 0 : this.step + 1);
    if (this.step === this.last) this.pause();
    else this.resume();
  }

  resume() {
    clearTimeout(this.playTimer);
    if (this.playing && !this.waiting) this.playTimer = setTimeout(() => this.advance(), DWELL);
  }

  pause() {
    this.playing = false;
    clearTimeout(this.playTimer);
    this.draw();
  }

  /** @param {number} step that a person chose */
  jump(step) {
    this.pause();
    this.go(step);
  }

  /** @param {number} step */
  go(step) {
    this.slider.value = String(step);
    this.draw();
    this.moved();
  }

  draw() {
    if (!this.data || !this.root.clientWidth) return;
    const { strings } = this.data;
    this.slider.setAttribute("aria-label", strings.slider);
    this.playButton.textContent = this.playing ? "❚❚" : "▶";
    const title = this.playing ? strings.pause : strings.play;
    Object.assign(this.playButton, { title, ariaLabel: title });
    this.position.textContent = this.stepName();
    this.slider.setAttribute("aria-valuetext", this.position.textContent);
    this.drawStep();
  }
}
