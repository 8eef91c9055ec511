// A slider through stops, a play button, and curves over them.
//
// The server draws the page again for each stop. Playback requests the next stop only after the page
// of the last one has arrived, even if the server is slow. A curve can have values for each head: it
// follows the selected head without a request.

import { onResize } from "../common/canvas.js";
import { find, unset } from "../common/find.js";
import { mount } from "../common/mount.js";
import { onPlay } from "../common/playing.js";
import { headName } from "../common/selection.js";
import { drawCurves } from "./curves.js";

const DWELL = 900; // milliseconds for each stop during playback

/**
 * @typedef {object} Curve
 * @property {string} label
 * @property {number[]} [values] shares from 0 to 1, by stop; absent if `heads` is present
 * @property {number[][][]} [heads] shares by stop, layer and head
 * @property {string} colour
 * @property {number} digits number of decimals on screen
 * @property {string} line CSS border style
 * @property {string} dash SVG stroke-dasharray
 */

/**
 * @typedef {object} PlayerData
 * @property {Side} side
 * @property {string} hue
 * @property {number} current stop
 * @property {string[]} stops short names of the stops, below the curves
 * @property {string[]} spoken full names of the stops
 * @property {Curve[]} curves
 * @property {Record<"name" | "play" | "pause" | "description" | "of", string>} strings
 *   `of` names the data that the curves were measured on
 */

/** @implements {Drawing<PlayerData>} */
class Player {
  /**
   * @param {HTMLElement} root
   * @param {AbortSignal} signal
   */
  constructor(root, signal) {
    this.root = root;
    this.button = find(root, "button");
    this.slider = find(root, "input", HTMLInputElement);
    this.position = find(root, "output");
    this.svg = find(root, "svg", SVGSVGElement);
    this.of = find(root, ".of");
    this.legend = find(root, ".key");
    this.playing = false;
    this.linked = false;
    /** @type {number | undefined} the requested stop, until its page arrives */
    this.requested = undefined;
    /** @type {PlayerData} */
    this.data = unset();
    /** @type {Component<PlayerData>["setTriggerValue"]} */
    this.send = unset();
    /** @type {Place} */
    this.head = { layer: 0, head: 0 };
    this.button.onclick = () => (this.playing ? this.pause() : this.play());
    this.slider.oninput = () => this.drag();
    onPlay(() => (this.playing ? this.pause() : this.play()), signal);
    window.addEventListener("headlight-view", (event) => this.follow(event.detail), { signal });
    window.addEventListener("headlight-preview", (event) => this.preview(event.detail), { signal });
    onResize(root, () => this.draw(), signal);
    signal.addEventListener("abort", () => {
      clearTimeout(this.requestTimer);
      clearTimeout(this.playTimer);
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
    // Do not overwrite a newer choice of the user, whose request is pending.
    if (this.requested === undefined || this.requested === data.current) {
      this.requested = undefined;
      this.slider.value = String(data.current);
      if (this.playing) this.scheduleNext();
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
   * @param {number} [wait] milliseconds before the request
   */
  request(index, wait = 0) {
    clearTimeout(this.requestTimer);
    clearTimeout(this.playTimer);
    this.slider.value = String(index);
    this.draw();
    if (index === this.data.current && this.requested === undefined) return;
    this.requested = index;
    this.requestTimer = setTimeout(() => this.send("stop", { index, at: Date.now() }), wait);
  }

  drag() {
    this.pause();
    this.request(Number(this.slider.value), 80); // debounce the drag
  }

  play() {
    this.playing = true;
    const last = this.data.stops.length - 1;
    if (Number(this.slider.value) === last) this.request(0);
    else this.scheduleNext(0);
    this.draw();
  }

  pause() {
    this.playing = false;
    clearTimeout(this.playTimer);
    this.draw();
  }

  scheduleNext(wait = DWELL) {
    clearTimeout(this.playTimer);
    const next = this.data.current + 1;
    if (next >= this.data.stops.length) {
      this.playing = false;
      return;
    }
    this.playTimer = setTimeout(() => this.request(next), wait);
  }

  // -- drawing ---------------------------------------------------------------------------------

  /**
   * @param {number[][][]} heads
   * @returns {Place} the selected head, limited to the layers and heads of a curve's model
   */
  inside(heads) {
    return {
      layer: Math.min(this.head.layer, heads[0].length - 1),
      head: Math.min(this.head.head, heads[0][0].length - 1),
    };
  }

  /**
   * @param {Curve} curve
   * @returns {number[]} by stop
   */
  values({ values = [], heads }) {
    if (!heads) return values;
    const { layer, head } = this.inside(heads);
    return heads.map((stop) => stop[layer][head]);
  }

  draw() {
    if (!this.data) return;
    const { spoken, curves, strings } = this.data;
    const at = Number(this.slider.value);
    this.position.textContent = spoken[at];
    this.slider.setAttribute("aria-valuetext", spoken[at]);
    this.button.textContent = this.playing ? "❚❚" : "▶";
    this.button.setAttribute("aria-label", this.playing ? strings.pause : strings.play);
    this.button.title = this.playing ? strings.pause : strings.play;
    this.of.textContent = strings.of;
    this.legend.replaceChildren(...curves.map((curve) => this.entry(curve, at)));
    const width = this.root.clientWidth;
    if (!width || !curves.length) return;
    const { stops, hue } = this.data;
    const go = (/** @type {number} */ stop) => {
      this.pause();
      this.request(stop);
    };
    const drawn = curves.map((curve) => ({ ...curve, values: this.values(curve) }));
    this.svg.replaceChildren(...drawCurves(drawn, { stops, at, hue, width, go }));
  }

  /**
   * @param {Curve} curve
   * @param {number} at the current stop
   */
  entry(curve, at) {
    const entry = document.createElement("span");
    const value = this.values(curve)[at].toFixed(curve.digits);
    const head = curve.heads ? `${this.headOf(curve.heads)} ` : "";
    entry.textContent = `${head}${curve.label}: ${value}`;
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
