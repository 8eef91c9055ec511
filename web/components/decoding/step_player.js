// Base of the views that step through generated tokens: slider, play button, candidates. All steps
// are in the browser, so moving between them sends no request. The last position shows all steps.

import { onResize } from "../common/canvas.js";
import { colourOf, hueOn } from "../common/contrast.js";
import { find, unset } from "../common/find.js";
import { onPlay } from "../common/playing.js";
import { save } from "../common/saving.js";
import { two } from "../common/scale.js";
import { unpack } from "../common/unpack.js";
import { candidates, everyStep, hypotheses } from "./step_list.js";
import { followHistory, stepInUrl, withStep, writeStep } from "./step_url.js";
import { svgFile } from "./svg_file.js";

const DWELL = 900; // milliseconds a step stays while playing
const URL_DELAY = 250; // milliseconds after the last move until the URL is written

/**
 * A subclass draws the picture of a step.
 *
 * @implements {Drawing<Uint8Array>}
 */
export class StepPlayer {
  /**
   * @param {HTMLElement} root
   * @param {AbortSignal} signal
   */
  constructor(root, signal) {
    this.root = root;
    this.playButton = find(root, ".play");
    this.slider = find(root, "input", HTMLInputElement);
    this.position = find(root, "output");
    this.summary = find(root, ".summary");
    this.board = find(root, ".picture");
    this.saveButton = find(root, ".save");
    this.listTitle = find(root, ".beside .title");
    this.list = find(root, ".list");
    /** @type {StepsHeader & Cells} */
    this.data = unset();
    /** @type {Component<Uint8Array>["setTriggerValue"]} */
    this.send = unset();
    this.playing = false;
    /** @type {number | undefined} the step of a forced token, until its text arrives */
    this.forcedStep = undefined;
    const toggle = () => (this.playing ? this.pause() : this.play());
    this.playButton.onclick = toggle;
    this.slider.oninput = () => this.jump(Number(this.slider.value));
    this.saveButton.onclick = () => save(`${this.data.file}.svg`, "image/svg+xml", this.file());
    onPlay(toggle, signal);
    onResize(root, () => this.repaint(), signal);
    const shown = () => (this.whole ? undefined : this.step);
    this.writeUrl = () => writeStep(shown());
    followHistory(shown, (step) => this.show(step), signal);
    signal.addEventListener("abort", () => {
      clearTimeout(this.playTimer);
      clearTimeout(this.urlTimer);
    });
  }

  /** @param {Component<Uint8Array>} component */
  receive({ data, setTriggerValue }) {
    const before = this.data;
    this.data = unpack(data);
    this.send = setTriggerValue;
    const sameText = before?.of === this.data.of;
    const { strings } = this.data;
    label(this.saveButton, strings.save);
    this.root.style.setProperty("--hue", this.hue);
    this.slider.max = String(this.end);
    this.slider.setAttribute("aria-label", strings.slider);
    this.prepare(sameText);
    if (!before) this.show(stepInUrl());
    else if (sameText) this.show(this.step);
    else this.jump(Math.min(this.forcedStep ?? this.end, this.end));
    this.forcedStep = undefined;
  }

  // -- for subclasses --------------------------------------------------------------------------

  /**
   * Called for new data, before it is drawn.
   *
   * @param {boolean} _sameText whether only the head has changed
   */
  prepare(_sameText) {}

  /**
   * What the token of this step attended to.
   *
   * @returns {{ written: string, on: string, keys: string[], weights: number[] }} the token, the
   *   query token, and the weight of each key in ten-thousandths
   */
  attention() {
    throw new Error("not implemented");
  }

  /** Draw the picture of the step that is shown. */
  drawPicture() {}

  /** @returns {SVGElement} the picture, for a file */
  picture() {
    throw new Error("not implemented");
  }

  /** @returns {About} where the numbers come from; the link opens the step */
  about() {
    return {
      ...this.data.about,
      link: withStep(this.data.about.link, this.whole ? undefined : this.step),
    };
  }

  /** @returns {string} the picture as an SVG file */
  file() {
    return svgFile(this.picture(), this.root, this.about());
  }

  // -- steps -----------------------------------------------------------------------------------

  get step() {
    return Number(this.slider.value);
  }

  /** The position after the last step, which shows all steps. */
  get end() {
    return this.data.steps.length;
  }

  get whole() {
    return this.step === this.end;
  }

  play() {
    this.playing = true;
    if (this.whole) this.go(0);
    this.draw();
    this.playTimer = setTimeout(() => this.advance(), DWELL);
  }

  advance() {
    this.go(this.step + 1);
    if (this.whole) this.pause();
    else this.playTimer = setTimeout(() => this.advance(), DWELL);
  }

  pause() {
    this.playing = false;
    clearTimeout(this.playTimer);
    this.draw();
  }

  /** @param {number} step shown now, and soon in the URL */
  go(step) {
    this.slider.value = String(step);
    this.draw();
    clearTimeout(this.urlTimer);
    this.urlTimer = setTimeout(this.writeUrl, URL_DELAY);
  }

  /** @param {number} step that a person chose */
  jump(step) {
    this.pause();
    this.go(step);
  }

  /** @param {number | undefined} step shown without writing the URL; undefined: all steps */
  show(step) {
    this.slider.value = String(Math.min(step ?? this.end, this.end));
    this.pause();
  }

  /**
   * Ask the server for another token, and show its step when the new text arrives.
   *
   * @param {number} step
   * @param {string} token
   */
  force(step, token) {
    this.forcedStep = step;
    this.send("forced", { step, token, at: Date.now() });
  }

  // -- drawing ---------------------------------------------------------------------------------

  /** The side's hue with enough contrast on the page, or on a projector. */
  get hue() {
    return `rgb(${hueOn(colourOf(this.data.hue).rgb, this.root).join(", ")})`;
  }

  repaint() {
    if (!this.data) return;
    this.root.style.setProperty("--hue", this.hue);
    this.draw();
  }

  draw() {
    if (!this.data || !this.root.clientWidth) return;
    const { strings } = this.data;
    this.playButton.textContent = this.playing ? "❚❚" : "▶";
    label(this.playButton, this.playing ? strings.pause : strings.play);
    this.position.textContent = this.whole
      ? strings.whole
      : filled(strings.position, { step: String(this.step + 1) });
    this.slider.setAttribute("aria-valuetext", this.position.textContent);
    this.summary.textContent = this.whole ? strings.summary : this.stepSummary();
    this.drawPicture();
    this.drawList();
  }

  stepSummary() {
    const { written, on, keys, weights } = this.attention();
    const most = weights.indexOf(Math.max(...weights));
    const words = { written, on, most: keys[most], weight: two(weights[most]) };
    return filled(this.data.strings.step_summary, words);
  }

  drawList() {
    const { beams, steps, strings } = this.data;
    const { step, whole } = this;
    if (beams) {
      this.listTitle.textContent = strings.beams;
      const last = beams.length - 1;
      this.list.replaceChildren(...hypotheses(beams[whole ? last : Math.min(step, last)], strings));
      return;
    }
    this.listTitle.textContent = whole ? strings.probabilities : strings.candidates;
    this.list.replaceChildren(
      ...(whole
        ? everyStep(steps, (to) => this.jump(to), strings)
        : candidates(steps[step], (token) => this.force(step, token), strings)),
    );
  }
}

/**
 * @param {HTMLElement} button
 * @param {string} text
 */
function label(button, text) {
  button.title = text;
  button.setAttribute("aria-label", text);
}

/**
 * @param {string} template with names in braces
 * @param {Record<string, string>} words
 * @returns {string}
 */
export function filled(template, words) {
  return template.replace(/\{(\w+)\}/g, (_, name) => words[name]);
}
