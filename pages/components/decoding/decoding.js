// A translation, watched as it is written. All steps are here: moving between them asks no server.
//
// At step i the token i + 1 is written; after the last step comes the whole alignment.

import { onResize } from "../common/canvas.js";
import { mount } from "../common/mount.js";
import { two } from "../common/scale.js";
import { unpack } from "../common/unpack.js";
import { candidates, everyStep, hypotheses } from "./beside.js";
import { saveSvg } from "./save.js";
import { drawStep, layout, widthOf } from "./picture.js";
import { keepStep, stepInAddress, writeStep } from "./place.js";

const DWELL = 900; // milliseconds that a step stays while playing
const RESTED = 250; // milliseconds after which the address follows

/** @implements {Drawing<Uint8Array>} */
class Decoding {
  /**
   * @param {HTMLElement} root
   * @param {AbortSignal} signal
   */
  constructor(root, signal) {
    this.root = root;
    this.button = root.querySelector("button");
    /** @type {HTMLButtonElement} */
    this.saver = root.querySelector(".save");
    this.slider = root.querySelector("input");
    this.said = root.querySelector("output");
    this.told = root.querySelector(".told");
    this.svg = root.querySelector("svg");
    this.title = root.querySelector(".title");
    this.list = root.querySelector(".list");
    /** @type {DecodingHeader & Cells} */
    this.data = undefined;
    this.button.onclick = () => (this.playing ? this.pause() : this.play());
    this.saver.onclick = () => saveSvg(this.svg, this.data.file);
    this.slider.oninput = () => {
      this.pause();
      this.go(Number(this.slider.value));
    };
    onResize(root, () => this.draw(), signal);
    const shown = () => (this.step === this.end ? undefined : this.step);
    this.note = () => writeStep(shown());
    keepStep(shown, (step) => this.show(step), signal);
    signal.addEventListener("abort", () => {
      clearTimeout(this.onward);
      clearTimeout(this.rest);
    });
  }

  /** @param {Component<Uint8Array>} component */
  receive({ data, setTriggerValue }) {
    const before = this.data;
    this.data = unpack(data);
    this.send = setTriggerValue;
    this.root.style.setProperty("--hue", this.data.hue);
    const { strings } = this.data;
    this.slider.max = String(this.end);
    this.slider.setAttribute("aria-label", strings.name);
    this.svg.setAttribute("aria-label", strings.description);
    this.saver.title = strings.save;
    this.saver.setAttribute("aria-label", strings.save);
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

  /** What comes after the last step: the whole alignment. */
  get end() {
    return this.data.target.length - 1;
  }

  // -- moving ----------------------------------------------------------------------------------

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

  // -- drawing ---------------------------------------------------------------------------------

  /**
   * @param {number} query
   * @param {number} key
   * @returns {number} of cross-attention, in ten-thousandths
   */
  cross(query, key) {
    return this.data.cells[query * this.data.source.length + key];
  }

  /**
   * @param {number} query
   * @param {number} key
   * @returns {number} of masked self-attention
   */
  self(query, key) {
    const { source, rows, cells } = this.data;
    return cells[rows * source.length + query * rows + key];
  }

  draw() {
    const width = this.svg.parentElement.clientWidth;
    if (!this.data || !width) return;
    const { source, target, strings, hue } = this.data;
    const { step } = this;
    const name = this.playing ? strings.pause : strings.play;
    this.button.textContent = this.playing ? "❚❚" : "▶";
    this.button.setAttribute("aria-label", name);
    this.button.title = name;
    const whole = step === this.end;
    const at = strings.at.replace("{step}", String(step + 1));
    this.said.textContent = whole ? strings.whole : at;
    this.slider.setAttribute("aria-valuetext", this.said.textContent);
    this.told.textContent = whole ? strings.told_whole : this.tell(step);
    const place = layout(source.map(widthOf), target.map(widthOf), width);
    this.svg.setAttribute("viewBox", `0 0 ${width} ${place.height}`);
    this.svg.setAttribute("height", String(place.height));
    const weights = { cross: this.cross.bind(this), self: this.self.bind(this) };
    this.svg.replaceChildren(...drawStep(place, { source, target, step, hue, ...weights }));
    this.drawBeside(whole);
  }

  drawBeside(whole) {
    const { beams, steps, strings } = this.data;
    const { step } = this;
    if (beams) {
      this.title.textContent = strings.beams;
      const searched = beams[whole ? beams.length - 1 : Math.min(step, beams.length - 1)];
      this.list.replaceChildren(...hypotheses(searched, strings));
      return;
    }
    this.title.textContent = whole ? strings.each : strings.candidates;
    const go = (to) => {
      this.pause();
      this.go(to);
    };
    const force = (token) => this.force(step, token);
    this.list.replaceChildren(
      ...(whole ? everyStep(steps, go, strings) : candidates(steps[step], force, strings)),
    );
  }

  /** @param {number} step */
  tell(step) {
    const { source, target, strings } = this.data;
    const weights = source.map((_, key) => this.cross(step, key));
    const most = weights.indexOf(Math.max(...weights));
    const words = {
      written: target[step + 1],
      on: target[step],
      most: source[most],
      weight: two(weights[most]),
    };
    return strings.told.replace(/\{(\w+)\}/g, (_, name) => words[name]);
  }

  /**
   * @param {number} step
   * @param {string} token to write instead
   */
  force(step, token) {
    this.forced = step;
    this.send("forced", { step, token, at: Date.now() });
  }
}

/**
 * @param {Component<Uint8Array>} component
 * @returns {() => void}
 */
export default function (component) {
  return mount(component, ".decoding", Decoding);
}
