// Picture of a translation step: the source on the left, the target on the right, and lines for the
// cross-attention between them.

import { FAINTEST, WHOLE, two } from "../common/scale.js";
import { shape } from "../common/svg.js";

const MIN_NUMBER = WHOLE / 200; // a smaller one would print as 0.00
const ROW = 30; // pixels of a token
const NUMBER = 32; // pixels of a number beside a token
const [TYPE, SMALL] = [16, 12]; // pixels, as --type-text and --type-tiny of page.css

/**
 * The tokens, of which the target's first is the start token; the step that writes token `step + 1`
 * (the number of steps shows all); the weights; the width of the picture.
 *
 * @typedef {{ source: string[], target: string[], step: number, hue: string, width: number,
 *   cross: (query: number, key: number) => number }} Step
 */

/** The height of a step's picture, and its shapes. @param {Step} given */
export function alignment({ source, target, step, cross, hue, width }) {
  const steps = target.length - 1;
  const whole = step === steps;
  const now = whole ? [...Array(steps).keys()] : [step];
  const half = width < 500 ? 42 : 64; // pixels of half a token
  const left = Math.max(width * 0.2, half + NUMBER);
  const right = width - left; // the middle of a column
  const middle = (/** @type {number} */ row) => (row + 0.6) * ROW;

  /** A token with its weight as opacity, and a frame if it is written at this step. */
  const token = (
    /** @type {"source" | "target"} */ column,
    /** @type {string} */ text,
    /** @type {number} */ row,
    weight = 0,
  ) => {
    const [x, y] = [column === "source" ? left : right, middle(row)];
    const framed = column === "target" && row === step + 1;
    const box = { x: x - half, y: y - 14, width: 2 * half, height: 28, rx: 7 };
    const paint = { fill: hue, "fill-opacity": ((0.55 * weight) / WHOLE).toFixed(3) };
    const frame = { stroke: hue, "stroke-width": framed ? 2 : 0 };
    const look = { "font-size": TYPE, "font-weight": framed ? 600 : 400, class: column };
    return [
      shape("rect", { ...box, ...paint, ...frame }),
      shape("text", { x, y: y + 5, ...look }, text),
    ];
  };

  const links = now.flatMap((query) =>
    source.flatMap((_, key) => {
      const weight = cross(query, key);
      if (weight < FAINTEST) return [];
      const share = weight / WHOLE;
      const from = { x1: right - half - 2, y1: middle(query + 1) };
      const to = { x2: left + half + 2, y2: middle(key) };
      const look = { stroke: hue, "stroke-opacity": share.toFixed(3), "stroke-linecap": "round" };
      const line = shape("line", { ...from, ...to, ...look, "stroke-width": 1 + 4 * share });
      line.dataset.weight = String(weight);
      return [line];
    }),
  );
  const sources = source.flatMap((text, key) => {
    return token("source", text, key, Math.max(...now.map((query) => cross(query, key))));
  });
  const targets = target.slice(0, step + 2).flatMap((text, i) => token("target", text, i));
  const numbers = source.flatMap((_, key) => {
    const [x, y, weight] = [
      left - half - NUMBER / 2,
      middle(key) + 4,
      whole ? 0 : cross(step, key),
    ];
    return weight < MIN_NUMBER ? [] : [shape("text", { x, y, "font-size": SMALL }, two(weight))];
  });
  const height = Math.max(source.length, target.length) * ROW + 8;
  return { height, shapes: [...links, ...sources, ...targets, ...numbers] };
}
