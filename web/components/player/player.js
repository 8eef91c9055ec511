// A player whose steps the server draws, with curves over them. Playback requests the next step after
// the page of the last one has arrived.

import { element } from "../common/element.js";
import { find } from "../common/find.js";
import { mount } from "../common/mount.js";
import { drawCurves } from "./curves.js";
import { StepPlayer } from "./step_player.js";

const WAIT = 80; // milliseconds before a request, to debounce a drag

/**
 * Shares from 0 to 1 by stop, the number of decimals on screen, a CSS border style and an SVG
 * stroke-dasharray.
 *
 * @typedef {{ label: string, values: number[], colour: string, digits: number, line: string,
 *   dash: string }} Curve
 */

/**
 * The current stop, whether it plays from the start, and the short and the full names of all stops; `of`
 * in the strings names the data that the curves were measured on.
 *
 * @typedef {{ hue: string, current: number, plays: boolean, stops: string[], spoken: string[],
 *   curves: Curve[], strings: Record<string, string> }} PlayerData
 */

/** @extends {StepPlayer<PlayerData>} */
class Player extends StepPlayer {
  svg = find(this.root, "svg", SVGSVGElement);
  of = find(this.root, ".of");
  legend = find(this.root, ".key");

  /** @param {Component<PlayerData>} component */
  receive({ data }) {
    const { data: before, waiting } = this;
    if (!before && data.plays) {
      this.playing = true;
      this.root.scrollIntoView({ block: "start" });
    }
    this.data = data;
    this.root.style.setProperty("--hue", data.hue);
    this.slider.max = String(data.stops.length - 1);
    this.svg.setAttribute("aria-label", data.strings.description);
    this.svg.toggleAttribute("hidden", data.curves.length === 0);
    // Do not overwrite a newer choice of the user, whose page has not arrived.
    if (!waiting || this.step === data.current) {
      this.waiting = false;
      this.slider.value = String(data.current);
      this.resume();
    }
    this.draw();
  }

  moved() {
    clearTimeout(this.requestTimer);
    const index = this.step;
    if (index === this.data.current && !this.waiting) return;
    this.waiting = true;
    const request = () => this.signal.aborted || this.send("stop", { index, at: Date.now() });
    this.requestTimer = setTimeout(request, WAIT);
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
    const given = { stops, at: this.step, hue, width: this.svg.clientWidth, go };
    this.svg.replaceChildren(...drawCurves(curves, given));
  }

  /** @param {Curve} curve */
  entry(curve) {
    const value = curve.values[this.step].toFixed(curve.digits);
    const entry = element("span", "", `${curve.label} ${value}`);
    entry.style.setProperty("--colour", curve.colour);
    entry.style.setProperty("--line", curve.line);
    return entry;
  }
}

export default mount(".player", Player);
