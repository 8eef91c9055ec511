// A translation, watched as it is written. All steps are here: moving between them asks no server.
//
// At step i the token i + 1 is written; after the last step comes the whole alignment.

import { mount } from "../common/mount.js";
import { two } from "../common/scale.js";
import { unpack } from "../common/unpack.js";
import { candidates, everyStep, hypotheses } from "./beside.js";
import { saveSvg } from "./save.js";
import { drawStep, layout, widthOf } from "./picture.js";
import { Scrubbing, filled } from "./scrubbing.js";

/** @implements {Drawing<Uint8Array>} */
class Decoding extends Scrubbing {
  /**
   * @param {HTMLElement} root
   * @param {AbortSignal} signal
   */
  constructor(root, signal) {
    super(root, signal);
    /** @type {HTMLButtonElement} */
    this.saver = root.querySelector(".save");
    this.told = root.querySelector(".told");
    this.svg = root.querySelector("svg");
    this.title = root.querySelector(".title");
    this.list = root.querySelector(".list");
    /** @type {DecodingHeader & Cells} */
    this.data = undefined;
    this.saver.onclick = () => saveSvg(this.svg, this.data.file);
  }

  /** @param {Component<Uint8Array>} component */
  receive({ data, setTriggerValue }) {
    const before = this.data;
    this.data = unpack(data);
    this.send = setTriggerValue;
    const { strings } = this.data;
    this.svg.setAttribute("aria-label", strings.description);
    this.saver.title = strings.save;
    this.saver.setAttribute("aria-label", strings.save);
    this.begin(before);
  }

  /** What comes after the last step: the whole alignment. */
  get end() {
    return this.data.target.length - 1;
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
    const { source, target, strings } = this.data;
    const { step, hue } = this;
    this.drawControls();
    const whole = step === this.end;
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
    return filled(strings.told, words);
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
