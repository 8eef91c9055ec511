// Curves over the stops of a player, as SVG. Their values are shares from 0 to 1.

import { nameStep } from "../common/canvas.js";
import { shape } from "../common/svg.js";

const PAD = { left: 46, right: 128, top: 10, bottom: 20 };
const HEIGHT = 140;
const BOTTOM = HEIGHT - PAD.bottom;
const NAME = 56; // pixels for the name of a stop

/** @typedef {{ values: number[], colour: string, dash: string }} Drawn */

/**
 * @param {Drawn[]} curves each with one share a stop
 * @param {object} given
 * @param {string[]} given.stops names of the stops
 * @param {number} given.at the current stop
 * @param {string} given.hue colour of the line that marks it
 * @param {number} given.width
 * @param {(stop: number) => void} given.go called with a stop that is clicked
 * @returns {SVGElement[]}
 */
export function drawCurves(curves, { stops, at, hue, width, go }) {
  const last = stops.length - 1;
  const span = width - PAD.left - (width < 480 ? 12 : PAD.right);
  const x = (/** @type {number} */ stop) => PAD.left + (stop * span) / last;
  const here = { x1: x(at), x2: x(at), y1: PAD.top - 6, y2: BOTTOM, stroke: hue };
  return [
    ...axis(PAD.left, x(last)),
    shape("line", { ...here, "stroke-width": 2, "stroke-opacity": 0.45 }),
    ...curves.flatMap((curve) => lineOf(curve, at, x)),
    ...strips(stops, x, nameStep(NAME, span / stops.length), go),
  ];
}

/**
 * @param {number} left
 * @param {number} right
 * @returns {SVGElement[]} the line at 0, and the numbers 0 and 1
 */
function axis(left, right) {
  const line = { x1: left, x2: right, y1: BOTTOM, y2: BOTTOM, stroke: "currentColor" };
  const number = { x: left - 8, "text-anchor": "end" };
  return [
    shape("line", { ...line, "stroke-opacity": 0.25 }),
    shape("text", { ...number, y: BOTTOM + 4 }, "0"),
    shape("text", { ...number, y: PAD.top + 4 }, "1"),
  ];
}

/**
 * @param {Drawn} curve
 * @param {number} at the current stop
 * @param {(stop: number) => number} x
 * @returns {SVGElement[]}
 */
function lineOf({ values, colour, dash }, at, x) {
  const y = (/** @type {number} */ share) => BOTTOM - share * (BOTTOM - PAD.top);
  const points = values.map((value, stop) => `${x(stop)},${y(value)}`).join(" ");
  const line = { points, fill: "none", stroke: colour, "stroke-width": 2 };
  return [
    shape("polyline", { ...line, "stroke-dasharray": dash }),
    shape("circle", { cx: x(at), cy: y(values[at]), r: 3.5, fill: colour }),
  ];
}

/**
 * @param {string[]} stops
 * @param {(stop: number) => number} x
 * @param {number} every number of stops for each name
 * @param {(stop: number) => void} go
 * @returns {SVGElement[]} for each stop its name, if there is space, and a clickable strip
 */
function strips(stops, x, every, go) {
  const last = stops.length - 1;
  const half = (x(1) - x(0)) / 2;
  return stops.flatMap((name, stop) => {
    const box = { x: x(stop) - half, y: 0, width: 2 * half, height: HEIGHT };
    const strip = shape("rect", { ...box, class: "stop" });
    strip.addEventListener("click", () => go(stop));
    // The last stop always has a name; a name that would overlap it is omitted.
    if (stop !== last && (stop % every || last - stop < every)) return [strip];
    const anchor = stop === last ? "end" : stop === 0 ? "start" : "middle";
    return [shape("text", { x: x(stop), y: HEIGHT - 4, "text-anchor": anchor }, name), strip];
  });
}
