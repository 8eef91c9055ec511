// Picture of a translation step: the source on the left, the target on the right, and lines for the
// cross-attention between them.

import { FAINTEST, WHOLE, two } from "../common/scale.js";
import { shape } from "../common/svg.js";

const MIN_NUMBER = WHOLE / 200; // a smaller one would print as 0.00
const ROW = 30; // pixels of a token
const NUMBER = 32; // pixels of a number beside a token
const [TYPE, SMALL] = [16, 12]; // pixels, as --type-text and --type-tiny of page.css

/** @typedef {(query: number, key: number) => number} Weight */

/**
 * The tokens, of which the target's first is the start token; the step that writes token `step + 1`
 * (the number of steps shows all); the weights; the width of the picture.
 *
 * @typedef {{ source: string[], target: string[], step: number, cross: Weight, hue: string,
 *   width: number }} Step
 */

/** The shapes of a step. */
export class Alignment {
  /** @param {Step} given */
  constructor(given) {
    this.given = given;
    this.half = given.width < 500 ? 42 : 64; // pixels of half a token
    const left = Math.max(given.width * 0.2, this.half + NUMBER);
    this.at = { source: left, target: given.width - left }; // the middle of each column
    this.height = Math.max(given.source.length, given.target.length) * ROW + 8;
  }

  shapes() {
    const { source, target, step, cross } = this.given;
    const steps = target.length - 1;
    const whole = step === steps;
    const now = whole ? [...Array(steps).keys()] : [step];
    const shown = target.slice(0, whole ? target.length : step + 2);
    return [
      ...now.flatMap((query) => this.links(query)),
      ...source.flatMap((token, key) => {
        const weight = Math.max(...now.map((query) => cross(query, key)));
        return this.token("source", key, token, weight);
      }),
      ...shown.flatMap((token, i) => this.token("target", i, token, 0, !whole && i === step + 1)),
      ...(whole ? [] : this.numbers()),
    ];
  }

  /** @param {number} row of a token @returns {number} the y of its middle */
  middle(row) {
    return (row + 0.6) * ROW;
  }

  /** Lines from a target token to the source tokens that it attended to. @param {number} query */
  links(query) {
    const { source, cross, hue } = this.given;
    const from = { x1: this.at.target - this.half - 2, y1: this.middle(query + 1) };
    return source.flatMap((_, key) => {
      const weight = cross(query, key);
      if (weight < FAINTEST) return [];
      const share = weight / WHOLE;
      const to = { x2: this.at.source + this.half + 2, y2: this.middle(key) };
      const look = { stroke: hue, "stroke-opacity": share.toFixed(3), "stroke-linecap": "round" };
      const line = shape("line", { ...from, ...to, ...look, "stroke-width": 1 + 4 * share });
      line.dataset.weight = String(weight);
      return [line];
    });
  }

  /**
   * With its weight as opacity, and a frame if it is written at this step.
   *
   * @type {(column: "source" | "target", row: number, token: string, weight: number,
   *   framed?: boolean) => SVGElement[]}
   */
  token(column, row, token, weight, framed = false) {
    const { hue } = this.given;
    const [x, y] = [this.at[column], this.middle(row)];
    const box = { x: x - this.half, y: y - 14, width: 2 * this.half, height: 28, rx: 7 };
    const paint = { fill: hue, "fill-opacity": ((0.55 * weight) / WHOLE).toFixed(3) };
    const frame = { stroke: hue, "stroke-width": framed ? 2 : 0 };
    const look = { "font-size": TYPE, "font-weight": framed ? 600 : 400, class: column };
    return [
      shape("rect", { ...box, ...paint, ...frame }),
      shape("text", { x, y: y + 5, ...look }, token),
    ];
  }

  /** The weights of the step. */
  numbers() {
    const { source, step, cross } = this.given;
    const x = this.at.source - this.half - NUMBER / 2;
    return source.flatMap((_, key) => {
      const [y, weight] = [this.middle(key) + 4, cross(step, key)];
      return weight < MIN_NUMBER ? [] : [shape("text", { x, y, "font-size": SMALL }, two(weight))];
    });
  }
}
