// Player of generated tokens, with their candidates. All steps are in the browser, so moving between
// them sends no request. The last position shows all steps.

import { find } from "../common/find.js";
import { two } from "../common/scale.js";
import { unpack } from "../common/unpack.js";
import { filled } from "../common/words.js";
import { StepPlayer } from "../player/step_player.js";
import { candidates, everyStep, hypotheses } from "./step_list.js";
import { followHistory, stepInUrl, writeStep } from "./step_url.js";

const URL_DELAY = 250; // milliseconds after the last move until the URL is written

/**
 * A subclass draws the picture of a step.
 *
 * @template {StepsHeader & Cells} Data
 * @extends {StepPlayer<Data>}
 */
export class TokenPlayer extends StepPlayer {
  summary = find(this.root, ".summary");
  board = find(this.root, ".picture");
  listTitle = find(this.root, ".beside .title");
  list = find(this.root, ".list");
  /** @type {number | undefined} the step of a forced token, until its text arrives */
  forcedStep = undefined;

  /** @param {Made} made */
  constructor(...made) {
    super(...made);
    const { signal } = this;
    const shown = () => (this.whole ? undefined : this.step);
    this.writeUrl = () => writeStep(shown());
    followHistory(shown, (step) => this.show(step), signal);
    signal.addEventListener("abort", () => clearTimeout(this.urlTimer));
  }

  /** @param {Component<Uint8Array>} component */
  receive({ data }) {
    const { data: before } = this;
    this.data = unpack(data);
    const sameText = before?.of === this.data.of;
    this.slider.max = String(this.data.steps.length);
    this.prepare(sameText);
    // A step through the browser's history brings the text of an earlier URL, with its step.
    if (sameText) this.show(this.step);
    else if (this.forcedStep === undefined) this.show(stepInUrl());
    else this.jump(Math.min(this.forcedStep, this.last));
    this.forcedStep = undefined;
  }

  /** For a subclass; called before new data. @param {boolean} _sameText whether only the head differs */
  prepare(_sameText) {}

  /**
   * For a subclass: the token of a step, and its weight of each key.
   *
   * @type {(step: number) => { written: string, keys: string[], weights: number[] }}
   */
  attention() {
    throw new Error("not implemented");
  }

  /** @returns {string} the sentence about all steps */
  wholeSummary() {
    return this.data.strings.summary;
  }

  /** For a subclass: draw the picture of the step that is shown. */
  drawPicture() {}

  /** Whether all steps are shown. */
  get whole() {
    return this.step === this.last;
  }

  moved() {
    clearTimeout(this.urlTimer);
    this.urlTimer = setTimeout(this.writeUrl, URL_DELAY);
  }

  /** @param {number | undefined} step shown without writing the URL; undefined: all steps */
  show(step) {
    this.slider.value = String(Math.min(step ?? this.last, this.last));
    this.pause();
  }

  /** Ask for another token, and show its step later. @param {number} step @param {string} token */
  force(step, token) {
    this.forcedStep = step;
    this.send("forced", { step, token, at: Date.now() });
  }

  stepName() {
    const { strings } = this.data;
    return this.whole ? strings.whole : filled(strings.position, { step: String(this.step + 1) });
  }

  drawStep() {
    this.root.style.setProperty("--hue", this.data.hue);
    this.summary.textContent = this.whole ? this.wholeSummary() : this.stepSummary(this.step);
    this.position.classList.toggle("whole", this.whole);
    this.drawPicture();
    this.drawList();
  }

  /** @param {number} step */
  stepSummary(step) {
    const { written, keys, weights } = this.attention(step);
    const most = mostOf(weights);
    const words = { written, most: keys[most], weight: two(weights[most]) };
    return filled(this.data.strings.step_summary, words);
  }

  drawList() {
    const { beams, steps, strings } = this.data;
    const { step, whole } = this;
    const last = (beams?.length ?? 0) - 1;
    const [title, rows] = beams
      ? [strings.beams, hypotheses(beams[whole ? last : Math.min(step, last)], strings)]
      : whole
        ? [strings.probabilities, everyStep(steps, (to) => this.jump(to), strings)]
        : [strings.candidates, candidates(steps[step], (to) => this.force(step, to), strings)];
    this.listTitle.textContent = title;
    this.list.replaceChildren(...rows);
  }
}

/** @param {number[]} weights @returns {number} place of the largest */
export function mostOf(weights) {
  return weights.indexOf(Math.max(...weights));
}
