// Curves over the stops of a player, as SVG. Their values are shares from 0 to 1.

import { nameStep } from "../common/canvas.js";
import { shape } from "../common/svg.js";

const PAD = { left: 46, right: 128, top: 10, bottom: 20 };
const HEIGHT = 140;
const BOTTOM = HEIGHT - PAD.bottom;
const NAME = 56; // pixels for the name of a stop

/**
 * Draw curves with one share a stop; a line of the colour `hue` marks the current stop `at`.
 *
 * @param {{ values: number[], colour: string, dash: string }[]} curves
 * @param {{ stops: string[], at: number, hue: string, width: number, go: (stop: number) => void }} given
 */
export function drawCurves(curves, { stops, at, hue, width, go }) {
  const last = stops.length - 1;
  const pitch = (width - PAD.left - (width < 480 ? 12 : PAD.right)) / last;
  const x = (/** @type {number} */ stop) => PAD.left + stop * pitch;
  const y = (/** @type {number} */ share) => BOTTOM - share * (BOTTOM - PAD.top);
  const zero = { x1: x(0), x2: x(last), y1: BOTTOM, y2: BOTTOM, stroke: "currentColor" };
  const here = { x1: x(at), x2: x(at), y1: PAD.top - 6, y2: BOTTOM, stroke: hue };
  const every = nameStep(NAME, (pitch * last) / stops.length);
  return [
    shape("line", { ...zero, "stroke-opacity": 0.25 }),
    ...[0, 1].map((share) =>
      shape("text", { x: PAD.left - 8, y: y(share) + 4, "text-anchor": "end" }, String(share)),
    ),
    shape("line", { ...here, "stroke-width": 2, "stroke-opacity": 0.45 }),
    ...curves.flatMap(({ values, colour, dash }) => {
      const points = values.map((value, stop) => `${x(stop)},${y(value)}`).join(" ");
      const line = { points, fill: "none", stroke: colour, "stroke-width": 2 };
      return [
        shape("polyline", { ...line, "stroke-dasharray": dash }),
        shape("circle", { cx: x(at), cy: y(values[at]), r: 3.5, fill: colour }),
      ];
    }),
    ...stops.flatMap((name, stop) => {
      const box = { x: x(stop) - pitch / 2, y: 0, width: pitch, height: HEIGHT };
      const strip = shape("rect", { ...box, class: "stop" });
      strip.addEventListener("click", () => go(stop));
      // The last stop always has a name; a name that would overlap it is omitted.
      if (stop !== last && (stop % every || last - stop < every)) return [strip];
      const anchor = stop === last ? "end" : stop === 0 ? "start" : "middle";
      return [shape("text", { x: x(stop), y: HEIGHT - 4, "text-anchor": anchor }, name), strip];
    }),
  ];
}
