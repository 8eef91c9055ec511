// A player whose steps the server draws, with curves over them. Playback requests the next step after
// the page of the last one has arrived. A curve can have values for each head: it follows the
// selected head without a request.

import { find, unset } from "../common/find.js";
import { mount } from "../common/mount.js";
import { headName } from "../common/selection.js";
import { drawCurves } from "./curves.js";
import { StepPlayer } from "./step_player.js";

const WAIT = 80; // milliseconds before a request, to debounce a drag

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
 * @property {Record<"slider" | "play" | "pause" | "description" | "of", string>} strings
 *   `of` names the data that the curves were measured on
 */

/** @implements {Drawing<PlayerData>} */
class Player extends StepPlayer {
  /** @param {HTMLElement} root @param {AbortSignal} signal */
  constructor(root, signal) {
    super(root, signal);
    this.svg = find(root, "svg", SVGSVGElement);
    this.of = find(root, ".of");
    this.legend = find(root, ".key");
    this.linked = false;
    /** @type {number | undefined} the requested stop, until its page arrives */
    this.requested = undefined;
    /** @type {PlayerData} */
    this.data = unset();
    /** @type {Component<PlayerData>["setTriggerValue"]} */
    this.send = unset();
    /** @type {Place} */
    this.head = { layer: 0, head: 0 };
    window.addEventListener("headlight-view", (event) => this.follow(event.detail), { signal });
    window.addEventListener("headlight-preview", (event) => this.preview(event.detail), { signal });
    signal.addEventListener("abort", () => clearTimeout(this.requestTimer));
  }

  /** @param {Component<PlayerData>} component */
  receive({ data, setTriggerValue }) {
    this.data = data;
    this.send = setTriggerValue;
    this.root.style.setProperty("--hue", data.hue);
    this.slider.max = String(data.stops.length - 1);
    this.svg.setAttribute("aria-label", data.strings.description);
    this.svg.toggleAttribute("hidden", data.curves.length === 0);
    // Do not overwrite a newer choice of the user, whose request is pending.
    if (this.requested === undefined || this.requested === data.current) {
      this.requested = undefined;
      this.slider.value = String(data.current);
      this.resume();
    }
    if (window.headlightView) this.head = { ...window.headlightView[data.side] };
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

  get waiting() {
    return this.requested !== undefined;
  }

  moved() {
    clearTimeout(this.requestTimer);
    const index = this.step;
    if (index === this.data.current && !this.waiting) return;
    this.requested = index;
    this.requestTimer = setTimeout(() => this.send("stop", { index, at: Date.now() }), WAIT);
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

  /** @param {Curve} curve @returns {number[]} by stop */
  values({ values = [], heads }) {
    if (!heads) return values;
    const { layer, head } = this.inside(heads);
    return heads.map((stop) => stop[layer][head]);
  }

  stepName() {
    return this.data.spoken[this.step];
  }

  drawStep() {
    const { stops, hue, curves, strings } = this.data;
    this.of.textContent = strings.of;
    this.legend.replaceChildren(...curves.map((curve) => this.entry(curve)));
    if (!curves.length) return;
    const go = (/** @type {number} */ stop) => this.jump(stop);
    const drawn = curves.map((curve) => ({ ...curve, values: this.values(curve) }));
    const given = { stops, at: this.step, hue, width: this.root.clientWidth, go };
    this.svg.replaceChildren(...drawCurves(drawn, given));
  }

  /** @param {Curve} curve */
  entry(curve) {
    const entry = document.createElement("span");
    const value = this.values(curve)[this.step].toFixed(curve.digits);
    const place = curve.heads && this.inside(curve.heads);
    const head = place ? `${headName(place.layer, place.head)} ` : "";
    entry.textContent = `${head}${curve.label}: ${value}`;
    entry.style.setProperty("--colour", curve.colour);
    entry.style.setProperty("--line", curve.line);
    return entry;
  }
}

export default mount(".player", Player);
