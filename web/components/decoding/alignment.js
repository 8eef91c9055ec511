// Picture of a translation step: the source above, the target below, and lines for the
// cross-attention between them. On a narrow screen, the source is on the left and the target on the
// right.

import { context2d } from "../common/canvas.js";
import { WHOLE, two } from "../common/scale.js";
import { shape } from "../common/svg.js";

const MIN_LINE = 100; // ten-thousandths: no line below 0.01
const MIN_NUMBER = 50; // no number below 0.005, which would print as 0.00
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

/**
 * Lay out the tokens in two rows if both fit, otherwise in two columns.
 *
 * @param {number[]} source widths of the tokens in pixels
 * @param {number[]} target
 * @param {number} width of the picture
 * @returns {Layout}
 */
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
 * @param {Layout} place
 * @param {object} given
 * @param {string[]} given.source tokens
 * @param {string[]} given.target tokens, the start token first
 * @param {number} given.step writes token `step + 1`; the number of steps shows all
 * @param {Weight} given.cross
 * @param {Weight} given.self
 * @param {string} given.hue
 * @returns {SVGElement[]}
 */
export function drawStep(place, { source, target, step, cross, self, hue }) {
  const steps = target.length - 1;
  const whole = step === steps;
  const now = whole ? [...Array(steps).keys()] : [step];
  const strongest = (/** @type {number} */ key) =>
    Math.max(...now.map((query) => cross(query, key)));
  return [
    ...now.flatMap((query) => links(place, query, source.length, cross, hue)),
    ...source.flatMap((token, i) =>
      tokenAt(place.source[i], token, { hue, weight: strongest(i), place, name: "source" }),
    ),
    ...(whole ? [] : source.flatMap((_, i) => numberAt(place, i, cross(step, i)))),
    ...target.slice(0, whole ? target.length : step + 2).flatMap((token, i) =>
      tokenAt(place.target[i], token, {
        hue,
        framed: !whole && i === step + 1,
        place,
        name: "target",
      }),
    ),
    ...(whole ? [] : bars(place, step, self)),
  ];
}

/**
 * @param {Layout} place
 * @param {number} query
 * @param {number} count number of source tokens
 * @param {Weight} cross
 * @param {string} hue
 * @returns {SVGElement[]} lines from a target token to the source tokens that it attended to
 */
function links(place, query, count, cross, hue) {
  const from = place.target[query + 1];
  return [...Array(count).keys()].flatMap((key) => {
    const weight = cross(query, key);
    if (weight < MIN_LINE) return [];
    const to = place.source[key];
    const share = weight / WHOLE;
    const ends = place.upright
      ? { x1: from.x - 44, y1: from.y, x2: to.x + 44, y2: to.y }
      : { x1: from.x, y1: from.y - 16, x2: to.x, y2: to.y + 34 };
    const line = { stroke: hue, "stroke-opacity": share.toFixed(3), "stroke-width": 1 + 4 * share };
    const element = shape("line", { ...ends, ...line, "stroke-linecap": "round" });
    element.dataset.weight = String(weight);
    return [element];
  });
}

/**
 * @param {Point} centre
 * @param {string} token
 * @param {object} given
 * @param {string} given.hue
 * @param {number} [given.weight] for the opacity
 * @param {boolean} [given.framed] whether the token is written at this step
 * @param {Layout} given.place
 * @param {string} given.name CSS class
 * @returns {SVGElement[]}
 */
function tokenAt({ x, y }, token, { hue, weight = 0, framed = false, place, name }) {
  const width = place.upright ? 84 : PAD + widthOf(token);
  const box = { x: x - width / 2, y: y - 14, width, height: 28, rx: 7 };
  const paint = { fill: hue, "fill-opacity": ((0.55 * weight) / WHOLE).toFixed(3) };
  /** @type {Record<string, string | number>} */
  const frame = framed ? { stroke: hue, "stroke-width": 2 } : {};
  const text = shape("text", { x, y: y + 5, "font-size": 15, fill: "currentColor" }, token);
  text.setAttribute("class", name);
  if (framed) text.setAttribute("font-weight", "600");
  return [shape("rect", { ...box, ...paint, ...frame }), text];
}

/** @param {Layout} place @param {number} key @param {number} weight @returns {SVGElement[]} */
function numberAt(place, key, weight) {
  if (weight < MIN_NUMBER) return [];
  const { x, y } = place.source[key];
  const at = place.upright ? { x: x - 58, y: y + 4 } : { x, y: y + 28 };
  return [shape("text", { ...at, "font-size": 12, fill: "currentColor" }, two(weight))];
}

/**
 * @param {Layout} place
 * @param {number} step
 * @param {Weight} self
 * @returns {SVGElement[]} weights of the masked self-attention of this step, at the tokens so far
 */
function bars(place, step, self) {
  return [...Array(step + 1).keys()].flatMap((key) => {
    const { x, y } = place.target[key];
    const weight = self(step, key);
    const printed = { "font-size": 12, fill: "currentColor" };
    if (place.upright) return [shape("text", { x: x + 58, y: y + 4, ...printed }, two(weight))];
    const height = (26 * weight) / WHOLE;
    const paint = { fill: "currentColor", "fill-opacity": 0.35 };
    const bar = shape("rect", { x: x - 9, y: BAR + 26 - height, width: 18, height, ...paint });
    return [bar, shape("text", { x, y: BAR + 40, ...printed }, two(weight))];
  });
}

/** @type {CanvasRenderingContext2D | undefined} */
let ruler;

/** @param {string} token @returns {number} its width in the picture, in pixels */
export function widthOf(token) {
  ruler ??= context2d(document.createElement("canvas"));
  ruler.font = "15px sans-serif";
  return Math.max(ruler.measureText(token).width, 22);
}
