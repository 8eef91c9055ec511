// A slider through stops, a play button, and curves over them.
//
// The server draws the page anew for every stop: playing asks for the next one only after the page
// of the last one has arrived, however slow the server is. A curve may be one of many, a head's: it
// follows the selected head without asking the server.

import { onResize } from "../common/canvas.js";
import { mount } from "../common/mount.js";
import { onPlay } from "../common/playing.js";
import { headName } from "../common/selection.js";
import { drawCurves } from "./curves.js";

const DWELL = 900; // milliseconds that a stop stays on screen while playing

/**
 * @typedef {object} Curve
 * @property {string} label
 * @property {number[]} [values] one share a stop, from 0 to 1
 * @property {number[][][]} [heads] or one a stop, layer and head
 * @property {string} colour
 * @property {number} digits printed after the point
 * @property {string} line as CSS draws it
 * @property {string} dash as SVG does
 */

/**
 * @typedef {object} PlayerData
 * @property {Side} side
 * @property {string} hue
 * @property {number} current stop
 * @property {string[]} stops under the curves
 * @property {string[]} spoken the same in full
 * @property {Curve[]} curves
 * @property {Record<"name" | "play" | "pause" | "description" | "of", string>} strings
 *   `of` says what the curves were measured on
 */

/** @implements {Drawing<PlayerData>} */
class Player {
  /**
   * @param {HTMLElement} root
   * @param {AbortSignal} signal
   */
  constructor(root, signal) {
    this.root = root;
    this.button = root.querySelector("button");
    this.slider = root.querySelector("input");
    this.said = root.querySelector("output");
    this.svg = root.querySelector("svg");
    this.of = root.querySelector(".of");
    this.legend = root.querySelector(".key");
    this.playing = false;
    /** @type {PlayerData} */
    this.data = undefined;
    /** @type {Place} */
    this.head = { layer: 0, head: 0 };
    this.button.onclick = () => (this.playing ? this.pause() : this.play());
    this.slider.oninput = () => this.moved();
    onPlay(() => (this.playing ? this.pause() : this.play()), signal);
    window.addEventListener("headlight-view", (event) => this.follow(event.detail), { signal });
    window.addEventListener("headlight-preview", (event) => this.preview(event.detail), { signal });
    onResize(root, () => this.draw(), signal);
    signal.addEventListener("abort", () => {
      clearTimeout(this.timer);
      clearTimeout(this.onward);
    });
  }

  /** @param {Component<PlayerData>} component */
  receive({ data, setTriggerValue }) {
    this.data = data;
    this.send = setTriggerValue;
    this.root.style.setProperty("--hue", data.hue);
    this.slider.max = String(data.stops.length - 1);
    this.slider.setAttribute("aria-label", data.strings.name);
    this.svg.setAttribute("aria-label", data.strings.description);
    // What the visitor has moved to meanwhile stands; the server is about to hear of it.
    if (this.asked === undefined || this.asked === data.current) {
      this.asked = undefined;
      this.slider.value = String(data.current);
      if (this.playing) this.goOn();
    }
    if (window.headlightView) this.head = { ...window.headlightView[data.side] };
    this.svg.toggleAttribute("hidden", data.curves.length === 0);
    this.draw();
  }

  /** @param {View} view */
  follow(view) {
    if (!this.data) return;
    this.head = { ...view[this.data.side] };
    this.linked = view.linked;
    this.draw();
  }

  /** @param {Preview} preview */
  preview({ side, layer, head }) {
    if (!this.data || (side !== this.data.side && !this.linked)) return;
    this.head = { layer, head };
    this.draw();
  }

  // -- moving ----------------------------------------------------------------------------------

  /**
   * @param {number} index of the stop
   * @param {number} [wait] milliseconds before the server is asked
   */
  ask(index, wait = 0) {
    clearTimeout(this.timer);
    clearTimeout(this.onward);
    this.slider.value = String(index);
    this.draw();
    if (index === this.data.current && this.asked === undefined) return;
    this.asked = index;
    this.timer = setTimeout(() => this.send("stop", { index, at: Date.now() }), wait);
  }

  moved() {
    this.pause();
    this.ask(Number(this.slider.value), 80); // dragging asks for where it rests
  }

  play() {
    this.playing = true;
    const last = this.data.stops.length - 1;
    if (Number(this.slider.value) === last) this.ask(0);
    else this.goOn(0);
    this.draw();
  }

  pause() {
    this.playing = false;
    clearTimeout(this.onward);
    this.draw();
  }

  goOn(wait = DWELL) {
    clearTimeout(this.onward);
    const next = this.data.current + 1;
    if (next >= this.data.stops.length) {
      this.playing = false;
      return;
    }
    this.onward = setTimeout(() => this.ask(next), wait);
  }

  // -- drawing ---------------------------------------------------------------------------------

  /**
   * @param {number[][][]} heads
   * @returns {Place} the selected head, inside what a curve's model has
   */
  inside(heads) {
    return {
      layer: Math.min(this.head.layer, heads[0].length - 1),
      head: Math.min(this.head.head, heads[0][0].length - 1),
    };
  }

  /**
   * @param {Curve} curve
   * @returns {number[]} one a stop
   */
  values({ values, heads }) {
    if (!heads) return values;
    const { layer, head } = this.inside(heads);
    return heads.map((stop) => stop[layer][head]);
  }

  draw() {
    if (!this.data) return;
    const { spoken, curves, strings } = this.data;
    const at = Number(this.slider.value);
    this.said.textContent = spoken[at];
    this.slider.setAttribute("aria-valuetext", spoken[at]);
    this.button.textContent = this.playing ? "❚❚" : "▶";
    this.button.setAttribute("aria-label", this.playing ? strings.pause : strings.play);
    this.button.title = this.playing ? strings.pause : strings.play;
    this.of.textContent = strings.of;
    this.legend.replaceChildren(...curves.map((curve) => this.entry(curve, at)));
    const width = this.root.clientWidth;
    if (!width || !curves.length) return;
    const { stops, hue } = this.data;
    const go = (stop) => {
      this.pause();
      this.ask(stop);
    };
    const drawn = curves.map((curve) => ({ ...curve, values: this.values(curve) }));
    this.svg.replaceChildren(...drawCurves(drawn, { stops, at, hue, width, go }));
  }

  /**
   * @param {Curve} curve
   * @param {number} at the present stop
   */
  entry(curve, at) {
    const entry = document.createElement("span");
    const value = this.values(curve)[at].toFixed(curve.digits);
    const whose = curve.heads ? `${this.headOf(curve.heads)} ` : "";
    entry.textContent = `${whose}${curve.label}: ${value}`;
    entry.style.setProperty("--colour", curve.colour);
    entry.style.setProperty("--line", curve.line);
    return entry;
  }

  /** @param {number[][][]} heads */
  headOf(heads) {
    const { layer, head } = this.inside(heads);
    return headName(layer, head);
  }
}

/**
 * @param {Component<PlayerData>} component
 * @returns {() => void}
 */
export default function (component) {
  return mount(component, ".player", Player);
}
