// Picture of a translation step: the source above, the target below, and lines for the
// cross-attention between them. On a narrow screen, the source is on the left and the target on the
// right.

import { context2d } from "../common/canvas.js";
import { WHOLE, two } from "../common/scale.js";
import { shape } from "../common/svg.js";

const MIN_LINE = 100; // ten-thousandths: no line below 0.01
const MIN_NUMBER = 50; // no number below 0.005, which would print as 0.00
const [TYPE, SMALL] = [16, 12]; // pixels, as --type-text and --type-tiny of page.css
const PAD = 14; // pixels around a token
const ROW = 30; // pixels of a token in a column
const SIDE = 76; // least pixels from a column to the edge: half a token, and a number
const [SOURCE, TARGET, BAR, BOTTOM] = [20, 196, 222, 268]; // heights of the layout in rows

/** @typedef {{ x: number, y: number }} Point */

/** @typedef {(query: number, key: number) => number} Weight in ten-thousandths */

/**
 * @typedef {object} Layout
 * @property {boolean} upright whether source and target are columns
 * @property {Point[]} source centre of each token
 * @property {Point[]} target
 * @property {number} height of the picture
 */

/** @type {(source: number[], target: number[], width: number) => Layout} widths in pixels */
export function layout(source, target, width) {
  const needed = (/** @type {number[]} */ widths) =>
    widths.reduce((sum, each) => sum + each + PAD, 0);
  if (needed(source) <= width && needed(target) <= width) {
    const row = (/** @type {number[]} */ widths, /** @type {number} */ y) => {
      const spare = (width - needed(widths)) / widths.length;
      let left = 0;
      return widths.map((each) => {
        const cell = each + PAD + Math.min(spare, 60);
        left += cell;
        return { x: left - cell / 2, y };
      });
    };
    return {
      upright: false,
      source: row(source, SOURCE),
      target: row(target, TARGET),
      height: BOTTOM,
    };
  }
  const column = (/** @type {number[]} */ widths, /** @type {number} */ x) =>
    widths.map((_, i) => ({ x, y: (i + 0.6) * ROW }));
  const height = Math.max(source.length, target.length) * ROW + 8;
  const left = Math.max(width * 0.2, SIDE);
  const right = width - left;
  return { upright: true, source: column(source, left), target: column(target, right), height };
}

/**
 * @typedef {object} Step
 * @property {string[]} source tokens
 * @property {string[]} target tokens, the start token first
 * @property {number} step writes token `step + 1`; the number of steps shows all
 * @property {Weight} cross
 * @property {Weight} self
 * @property {string} hue
 */

/** The shapes of a step. */
export class Alignment {
  /** @param {Layout} place @param {Step} given */
  constructor(place, given) {
    this.place = place;
    this.given = given;
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
      ...(whole ? [] : [...source.flatMap((_, key) => this.number(key)), ...this.bars()]),
    ];
  }

  /** Lines from a target token to the source tokens that it attended to. @param {number} query */
  links(query) {
    const { place } = this;
    const { source, cross, hue } = this.given;
    const from = place.target[query + 1];
    return source.flatMap((_, key) => {
      const weight = cross(query, key);
      if (weight < MIN_LINE) return [];
      const to = place.source[key];
      const share = weight / WHOLE;
      const ends = place.upright
        ? { x1: from.x - 44, y1: from.y, x2: to.x + 44, y2: to.y }
        : { x1: from.x, y1: from.y - 16, x2: to.x, y2: to.y + 34 };
      const look = { stroke: hue, "stroke-opacity": share.toFixed(3), "stroke-linecap": "round" };
      const line = shape("line", { ...ends, ...look, "stroke-width": 1 + 4 * share });
      line.dataset.weight = String(weight);
      return [line];
    });
  }

  /**
   * @param {"source" | "target"} name
   * @param {number} index
   * @param {string} token
   * @param {number} weight for the opacity
   * @param {boolean} [framed] whether the token is written at this step
   */
  token(name, index, token, weight, framed = false) {
    const { hue } = this.given;
    const { x, y } = this.place[name][index];
    const width = this.place.upright ? 84 : PAD + widthOf(token);
    const box = { x: x - width / 2, y: y - 14, width, height: 28, rx: 7 };
    const paint = { fill: hue, "fill-opacity": ((0.55 * weight) / WHOLE).toFixed(3) };
    const frame = { stroke: hue, "stroke-width": framed ? 2 : 0 };
    const look = { "font-size": TYPE, "font-weight": framed ? 600 : 400, class: name };
    return [
      shape("rect", { ...box, ...paint, ...frame }),
      shape("text", { x, y: y + 5, ...look }, token),
    ];
  }

  /** @param {number} key */
  number(key) {
    const weight = this.given.cross(this.given.step, key);
    if (weight < MIN_NUMBER) return [];
    const { x, y } = this.place.source[key];
    const at = this.place.upright ? { x: x - 58, y: y + 4 } : { x, y: y + 28 };
    return [shape("text", { ...at, "font-size": SMALL }, two(weight))];
  }

  /** Weights of the masked self-attention of this step, at the tokens so far. */
  bars() {
    const { step, self } = this.given;
    return [...Array(step + 1).keys()].flatMap((key) => {
      const { x, y } = this.place.target[key];
      const weight = self(step, key);
      const at = this.place.upright ? { x: x + 58, y: y + 4 } : { x, y: BAR + 40 };
      const number = shape("text", { ...at, "font-size": SMALL }, two(weight));
      if (this.place.upright) return [number];
      const height = (26 * weight) / WHOLE;
      const paint = { fill: "currentColor", "fill-opacity": 0.35 };
      const box = { x: x - 9, y: BAR + 26 - height, width: 18, height };
      return [shape("rect", { ...box, ...paint }), number];
    });
  }
}

/** @type {CanvasRenderingContext2D | undefined} */
let ruler;

/** @param {string} token @returns {number} its width in the picture, in pixels */
export function widthOf(token) {
  ruler ??= context2d(document.createElement("canvas"));
  ruler.font = `${TYPE}px sans-serif`;
  return Math.max(ruler.measureText(token).width, 22);
}
