// The picture of a step: the source above, what is written below, and what the written token looked
// at between them. On a narrow screen the two stand side by side.

import { two } from "../common/scale.js";
import { shape } from "../common/svg.js";

const FAINTEST = 100; // ten-thousandths: below 0.01 no line is drawn
const PRINTED = 50; // and below 0.005 no number, which would read 0.00
const PAD = 14; // pixels beside a token
const ROW = 30; // pixels that a token takes where tokens stand below one another
const [SOURCE, TARGET, BAR, BOTTOM] = [20, 196, 222, 268]; // heights, where they stand in rows

/** @typedef {{ x: number, y: number }} Point */

/**
 * @typedef {object} Layout
 * @property {boolean} upright whether tokens stand below one another
 * @property {Point[]} source middle of each token
 * @property {Point[]} target
 * @property {number} height of the picture
 */

/**
 * Place the tokens: in two rows if both fit, else in two columns.
 *
 * @param {number[]} source widths of the tokens in pixels
 * @param {number[]} target
 * @param {number} width that there is
 * @returns {Layout}
 */
export function layout(source, target, width) {
  const needed = (widths) => widths.reduce((sum, each) => sum + each + PAD, 0);
  if (needed(source) <= width && needed(target) <= width) {
    const row = (widths, y) => {
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
  const column = (widths, x) => widths.map((_, i) => ({ x, y: (i + 0.6) * ROW }));
  const height = Math.max(source.length, target.length) * ROW + 8;
  const [left, right] = [width * 0.2, width * 0.8];
  return { upright: true, source: column(source, left), target: column(target, right), height };
}

/**
 * @param {Layout} place
 * @param {object} given
 * @param {string[]} given.source tokens
 * @param {string[]} given.target tokens, the start token first
 * @param {number} given.step that writes token `step + 1`; the number of steps for all of them
 * @param {(query: number, key: number) => number} given.cross weights in ten-thousandths
 * @param {(query: number, key: number) => number} given.self
 * @param {string} given.hue
 * @returns {SVGElement[]}
 */
export function drawStep(place, { source, target, step, cross, self, hue }) {
  const steps = target.length - 1;
  const whole = step === steps;
  const now = whole ? [...Array(steps).keys()] : [step];
  const lit = (key) => Math.max(...now.map((query) => cross(query, key)));
  return [
    ...now.flatMap((query) => links(place, query, source.length, cross, hue)),
    ...source.flatMap((token, i) =>
      tokenAt(place.source[i], token, { hue, lit: lit(i), place, side: -1 }),
    ),
    ...(whole ? [] : source.flatMap((_, i) => numberAt(place, i, cross(step, i)))),
    ...target
      .slice(0, whole ? target.length : step + 2)
      .flatMap((token, i) =>
        tokenAt(place.target[i], token, { hue, framed: !whole && i === step + 1, place, side: 1 }),
      ),
    ...(whole ? [] : bars(place, step, self)),
  ];
}

/** Lines from a written token to what it looked at. */
function links(place, query, count, cross, hue) {
  const from = place.target[query + 1];
  return [...Array(count).keys()].flatMap((key) => {
    const weight = cross(query, key);
    if (weight < FAINTEST) return [];
    const to = place.source[key];
    const share = weight / 10000;
    const ends = place.upright
      ? { x1: from.x - 44, y1: from.y, x2: to.x + 44, y2: to.y }
      : { x1: from.x, y1: from.y - 16, x2: to.x, y2: to.y + 34 };
    const line = { stroke: hue, "stroke-opacity": share.toFixed(3), "stroke-width": 1 + 4 * share };
    const element = shape("line", { ...ends, ...line, "stroke-linecap": "round" });
    element.dataset.weight = String(weight);
    return [element];
  });
}

/** A token, lit as strongly as it is looked at, framed while it is written. */
function tokenAt({ x, y }, token, { hue, lit = 0, framed = false, place, side }) {
  const width = (place.upright ? 84 : PAD) + (place.upright ? 0 : widthOf(token));
  const box = { x: x - width / 2, y: y - 14, width, height: 28, rx: 7 };
  const paint = { fill: hue, "fill-opacity": ((0.55 * lit) / 10000).toFixed(3) };
  const frame = framed ? { stroke: hue, "stroke-width": 2 } : {};
  const text = shape("text", { x, y: y + 5, "font-size": 15, fill: "currentColor" }, token);
  text.setAttribute("class", side < 0 ? "source" : "target");
  if (framed) text.setAttribute("font-weight", "600");
  return [shape("rect", { ...box, ...paint, ...frame }), text];
}

function numberAt(place, key, weight) {
  if (weight < PRINTED) return [];
  const { x, y } = place.source[key];
  const at = place.upright ? { x: x - 58, y: y + 4 } : { x, y: y + 28 };
  return [shape("text", { ...at, "font-size": 12, fill: "currentColor" }, two(weight))];
}

/** At the tokens so far, how much the masked self-attention of this step gives to each. */
function bars(place, step, self) {
  return [...Array(step + 1).keys()].flatMap((key) => {
    const { x, y } = place.target[key];
    const weight = self(step, key);
    const printed = { "font-size": 12, fill: "currentColor" };
    if (place.upright) return [shape("text", { x: x + 58, y: y + 4, ...printed }, two(weight))];
    const height = (26 * weight) / 10000;
    const paint = { fill: "currentColor", "fill-opacity": 0.35 };
    const bar = shape("rect", { x: x - 9, y: BAR + 26 - height, width: 18, height, ...paint });
    return [bar, shape("text", { x, y: BAR + 40, ...printed }, two(weight))];
  });
}

let ruler;

/**
 * @param {string} token
 * @returns {number} its width in the picture, in pixels
 */
export function widthOf(token) {
  ruler ??= document.createElement("canvas").getContext("2d");
  ruler.font = "15px sans-serif";
  return Math.max(ruler.measureText(token).width, 22);
}
