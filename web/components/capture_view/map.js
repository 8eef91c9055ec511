// The selected head of a subject as Plotly's heatmap. The layout is the one of viz.attention_heatmap;
// only the numbers, the head's name, the frames around selected tokens and the sizes are set here.

import { FAINTEST, MASKED, WHOLE, clamp, rounded, two } from "../common/scale.js";
import { nameOf } from "./store.js";

const MAP_TITLE = 38; // pixels of the title, as in viz/figures/heatmap.py, and of the space below it
const [LEAST_TYPE, MAP_TYPE] = [9, 12]; // pixels, of names and numbers
const MAP_LINE = 1.1; // height of a line, in that of its type

/**
 * @param {Subject} subject
 * @param {Head} head
 * @param {Uint16Array} cells its weights by rows
 * @param {{ picked: number[], told?: number[], named?: { xaxis: number[], yaxis: number[] } | 0, titled?: boolean,
 *   scale: { sqrt: boolean, low: number, high: number }, width: number, height: number, largest: number,
 *   printed: number, ink: string, paper: string }} how the selected units, the row and the column of
 *   the link in the sentence, the columns and rows whose names stay (undefined: Plotly chooses), whether it has a title, the colours, the available pixels,
 *   the largest size of a cell, and the smallest with a number
 */
export function figureOf(
  subject,
  [layer, head],
  cells,
  {
    picked,
    told = [],
    named,
    titled = true,
    scale,
    width,
    height,
    largest,
    printed: least,
    ink,
    paper,
  },
) {
  const { data, layout } = subject.figures[subject.figure_of[layer]];
  const showscale = scale.high !== WHOLE;
  const margin = { ...layout.margin, ...(!showscale && { r: 10 }) };
  if (!titled) margin.t -= MAP_TITLE;
  const columns = data[0].x.length;
  const rows = Array.from({ length: data[0].y.length }, (_, row) =>
    Array.from(cells.subarray(row * columns, (row + 1) * columns)),
  );
  const title = {
    ...layout.title,
    text: titled ? layout.title.text.replace("L0·H0", nameOf(subject, [layer, head])) : "",
  };
  const [beside, above] = [margin.l + margin.r, margin.t + margin.b];
  const fits = Math.min((width - beside) / columns, (height - above) / rows.length);
  const cell = Math.max(Math.min(fits, largest), 1); // pixels on a side: the cells are squares
  const size = { width: beside + cell * columns, height: above + cell * rows.length };
  const [weights, ...others] = data;
  const trace = {
    ...weights,
    z: rows.map((row) => row.map((weight) => (weight === MASKED ? null : rounded(weight, 4)))),
    ...(weights.texttemplate && { text: rows.map((row) => row.map(printed)) }),
    zmin: scale.low / WHOLE,
    zmax: scale.high / WHOLE,
    colorscale: subject.colorscales[scale.sqrt ? "sqrt" : "linear"],
    showscale,
    hovertemplate: weights.hovertemplate.replace(".6f", ".4f"), // the digits of a cell
  };
  if (cell < least) delete trace.texttemplate;
  else {
    const type = Math.max(0.48 * cell, Math.min(0.6 * cell, MAP_TYPE));
    trace.textfont = { ...weights.textfont, size: Math.round(type) };
  }
  const shapes = [
    ...(layout.shapes ?? []),
    ...spotlight(picked, subject.keys ? [] : picked, rows.length, columns, ink, paper),
    ...(told.length ? [cellFrame(told, ink)] : []),
  ];
  const axes = named && {
    xaxis: withNames(layout.xaxis, data[0].x, named.xaxis, cell),
    yaxis: withNames(layout.yaxis, data[0].y, named.yaxis, cell),
  };
  return {
    data: [trace, ...others],
    layout: { ...layout, ...size, ...axes, margin, title, shapes },
  };
}

/**
 * With the names of these places, and as many others as fit. `cell`: pixels from one to the next.
 *
 * @type {(axis: { tickfont?: object }, names: string[], places: number[], cell: number) => object}
 */
function withNames(axis, names, places, cell) {
  const size = clamp(Math.floor(cell / MAP_LINE), LEAST_TYPE, MAP_TYPE);
  const shown = [...places];
  const fits = (/** @type {number} */ at) =>
    shown.every((other) => Math.abs(other - at) * cell >= size * MAP_LINE);
  names.forEach((_, at) => fits(at) && shown.push(at));
  const tickvals = shown.map((at) => names[at]);
  return { ...axis, tickfont: { ...axis.tickfont, size }, tickvals };
}

/**
 * @param {number} cell
 * @returns {string} as in `two`, without the zero before the point; "" below 0.01
 */
export function printed(cell) {
  if (cell === MASKED || cell < FAINTEST) return "";
  const text = two(cell);
  return text === "1.00" ? "1.0" : text.slice(1);
}

/**
 * Frames around the selected rows and columns, and a veil over all other cells: viz.figures.marks.
 *
 * @type {(rows: number[], columns: number[], nRows: number, nColumns: number, ink: string,
 *   paper: string) => object[]}
 */
function spotlight(rows, columns, nRows, nColumns, ink, paper) {
  if (!rows.length && !columns.length) return [];
  const across = between(columns, nColumns);
  const veil = between(rows, nRows).flatMap(([top, bottom]) =>
    across.map(([left, right]) => `M${left},${top}H${right}V${bottom}H${left}Z`),
  );
  const path = veil.join("");
  const frame = { type: "rect", line: { color: ink, width: 1.5 } };
  const row = { ...frame, x0: -0.5, x1: nColumns - 0.5 };
  const column = { ...frame, y0: -0.5, y1: nRows - 0.5 };
  return [
    ...(path ? [{ type: "path", path, fillcolor: paper, opacity: 0.35, line: { width: 0 } }] : []),
    ...rows.map((at) => ({ ...row, y0: at - 0.5, y1: at + 0.5 })),
    ...columns.map((at) => ({ ...column, x0: at - 0.5, x1: at + 0.5 })),
  ];
}

/** @param {number[]} place its row and its column @param {string} ink */
const cellFrame = ([row, column], ink) => ({
  type: "rect",
  line: { color: ink, width: 2 },
  ...{ x0: column - 0.5, x1: column + 0.5, y0: row - 0.5, y1: row + 0.5 },
});

/** @param {number[]} picked @param {number} count @returns {[number, number][]} runs of other places */
function between(picked, count) {
  const ends = [-1, ...[...picked].sort((a, b) => a - b), count];
  return ends
    .slice(1)
    .map((end, index) => /** @type {[number, number]} */ ([ends[index] + 0.5, end - 0.5]))
    .filter(([from, to]) => to > from);
}
