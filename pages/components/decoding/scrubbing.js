// The slider through the steps of something that was written, and its play button. All steps are in
// the browser: moving between them asks no server. After the last step comes the whole.

import { onResize } from "../common/canvas.js";
import { colourOf, hueOn } from "../common/contrast.js";
import { onPlay } from "../common/playing.js";
import { keepStep, stepInAddress, writeStep } from "./place.js";

const DWELL = 900; // milliseconds that a step stays while playing
const RESTED = 250; // milliseconds after which the address follows

/** What both kinds of writing have: how far one has come, and how one moves on. */
export class Scrubbing {
  /**
   * @param {HTMLElement} root
   * @param {AbortSignal} signal
   */
  constructor(root, signal) {
    this.root = root;
    /** @type {HTMLButtonElement} */
    this.button = root.querySelector(".play");
    this.slider = root.querySelector("input");
    this.said = root.querySelector("output");
    /** @type {{ of: string, hue: string, strings: Record<string, string> }} */
    this.data = undefined;
    this.button.onclick = () => (this.playing ? this.pause() : this.play());
    this.slider.oninput = () => {
      this.pause();
      this.go(Number(this.slider.value));
    };
    onPlay(() => (this.playing ? this.pause() : this.play()), signal);
    onResize(root, () => this.paint(), signal);
    const shown = () => (this.step === this.end ? undefined : this.step);
    this.note = () => writeStep(shown());
    keepStep(shown, (step) => this.show(step), signal);
    signal.addEventListener("abort", () => {
      clearTimeout(this.onward);
      clearTimeout(this.rest);
    });
  }

  /**
   * Go to the step that is to be shown first of what the server has sent.
   *
   * @param {{ of: string } | undefined} before what was shown till now
   */
  begin(before) {
    const { strings } = this.data;
    this.root.style.setProperty("--hue", this.hue);
    this.slider.max = String(this.end);
    this.slider.setAttribute("aria-label", strings.name);
    // The first picture is the one that the address names, or the whole. Of another text it is the
    // whole again, or the step at which a token was forced; other heads are shown at the same step.
    if (!before) this.show(stepInAddress());
    else if (before.of === this.data.of) this.show(this.step);
    else {
      this.pause();
      this.go(Math.min(this.forced ?? this.end, this.end));
    }
    this.forced = undefined;
  }

  /** The step that is shown. */
  get step() {
    return Number(this.slider.value);
  }

  /** What comes after the last step: the whole. */
  get end() {
    return 0;
  }

  play() {
    this.playing = true;
    if (this.step === this.end) this.go(0);
    this.draw();
    this.onward = setTimeout(() => this.goOn(), DWELL);
  }

  goOn() {
    this.go(this.step + 1);
    if (this.step === this.end) this.pause();
    else this.onward = setTimeout(() => this.goOn(), DWELL);
  }

  pause() {
    this.playing = false;
    clearTimeout(this.onward);
    this.draw();
  }

  /** @param {number} step */
  go(step) {
    this.slider.value = String(step);
    this.draw();
    clearTimeout(this.rest);
    this.rest = setTimeout(this.note, RESTED);
  }

  /** @param {number | undefined} step that is gone to without a trace; the end, if there is none */
  show(step) {
    this.slider.value = String(Math.min(step ?? this.end, this.end));
    this.pause();
  }

  /** In the hue that the page has, or the projector. */
  paint() {
    if (!this.data) return;
    this.root.style.setProperty("--hue", this.hue);
    this.draw();
  }

  /** @returns {string} */
  get hue() {
    return `rgb(${hueOn(colourOf(this.data.hue).rgb, this.root).join(", ")})`;
  }

  /** What is drawn of the step that is shown. */
  draw() {}

  /** Say which step that is, and what the button does. */
  drawControls() {
    const { strings } = this.data;
    const name = this.playing ? strings.pause : strings.play;
    this.button.textContent = this.playing ? "❚❚" : "▶";
    this.button.setAttribute("aria-label", name);
    this.button.title = name;
    const at = strings.at.replace("{step}", String(this.step + 1));
    this.said.textContent = this.step === this.end ? strings.whole : at;
    this.slider.setAttribute("aria-valuetext", this.said.textContent);
  }
}

/**
 * @param {string} template with names in braces
 * @param {Record<string, string>} words
 * @returns {string}
 */
export function filled(template, words) {
  return template.replace(/\{(\w+)\}/g, (_, name) => words[name]);
}
