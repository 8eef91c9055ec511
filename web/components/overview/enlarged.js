// Drawing of one enlarged head: its cells with the names of the tokens, with numbers if they fit,
// and its strongest links.

import { nameStep, sharp } from "../common/canvas.js";
import { FAINTEST, MASKED, clamp, opacity, two } from "../common/scale.js";

/** @import { Scale } from "../common/scale.js" */

const FONT = 10;
const VALUE_CELL = { width: 26, height: 17 };
const LABEL = 74; // pixels for the names of tokens
const HATCH = 6; // pixels from one line of a masked cell to the next

/** @typedef {{ scale: Scale, ink: string }} Inks */

/**
 * @typedef {object} Layout
 * @property {boolean} printed whether the cells contain numbers
 * @property {number} wide pixels of a cell
 * @property {number} high
 */

/**
 * @param {HTMLCanvasElement} canvas
 * @param {{ cells: Uint16Array, names: [queries: string[], keys: string[]], rgb: Rgb }} head its
 *   cells by rows
 * @param {Inks} inks
 * @param {Layout} layout
 */
export function drawEnlarged(canvas, { cells, names, rgb }, { scale, ink }, layout) {
  const { wide, high, printed } = layout;
  const [red, green, blue] = rgb;
  const [rows, columns] = [names[0].length, names[1].length];
  const width = LABEL + columns * wide;
  const context = sharp(canvas, width, LABEL + rows * high);
  canvas.style.width = `${width}px`;
  context.font = `${FONT}px sans-serif`;
  context.fillStyle = ink;
  drawNames(context, names, layout);
  drawMasked(context, cells, columns, layout);
  context.textAlign = "center";
  cells.forEach((value, index) => {
    if (value === MASKED) return;
    const row = Math.floor(index / columns);
    const x = LABEL + (index % columns) * wide;
    const y = LABEL + row * high;
    context.fillStyle = `rgba(${red}, ${green}, ${blue}, ${opacity(value, scale)})`;
    context.fillRect(x, y, wide > 4 ? wide - 1 : wide, high > 4 ? high - 1 : high);
    if (printed && value >= FAINTEST) {
      context.fillStyle = ink;
      context.fillText(two(value), x + wide / 2, y + high / 2 + 3);
    }
  });
}

/**
 * @param {CanvasRenderingContext2D} context
 * @param {[queries: string[], keys: string[]]} names
 * @param {Layout} layout
 */
function drawNames(context, [queries, keys], { wide, high }) {
  const every = nameStep(FONT, Math.min(wide, high));
  context.textAlign = "right";
  for (let i = 0; i < queries.length; i += every)
    context.fillText(queries[i], LABEL - 5, LABEL + (i + 0.5) * high + 3, LABEL - 6);
  context.textAlign = "left";
  for (let i = 0; i < keys.length; i += every) {
    context.save();
    context.translate(LABEL + (i + 0.5) * wide + 3, LABEL - 5);
    context.rotate(-Math.PI / 2);
    context.fillText(keys[i], 0, 0, LABEL - 6);
    context.restore();
  }
}

/**
 * Hatch the masked cells, to distinguish them from weights of 0.
 *
 * @param {CanvasRenderingContext2D} context with the text colour as fill style
 * @param {Uint16Array} cells
 * @param {number} columns
 * @param {Layout} layout
 */
function drawMasked(context, cells, columns, { wide, high }) {
  const hidden = new Path2D();
  cells.forEach((value, index) => {
    if (value !== MASKED) return;
    hidden.rect(
      LABEL + (index % columns) * wide,
      LABEL + Math.floor(index / columns) * high,
      wide,
      high,
    );
  });
  context.save();
  context.clip(hidden);
  context.strokeStyle = context.fillStyle;
  context.globalAlpha = 0.22;
  const [right, bottom] = [columns * wide, (cells.length / columns) * high];
  context.beginPath();
  for (let at = HATCH; at < right + bottom; at += HATCH) {
    context.moveTo(LABEL + at, LABEL);
    context.lineTo(LABEL + at - bottom, LABEL + bottom);
  }
  context.stroke();
  context.restore();
}

/**
 * @param {Pick<OverviewHeader, "labels" | "block" | "size"> | OtherKeys} side
 * @returns {string[]} names of the rows or columns; a block has the name of its first token
 */
export function namesOf({ labels, block = 1, size }) {
  if (block === 1) return labels;
  return Array.from({ length: size }, (_, i) => `${labels[i * block]}…`);
}

/**
 * @param {Uint16Array} cells of one head, by rows
 * @param {number} columns
 * @param {number} count
 * @returns {[value: number, query: number, key: number][]} the largest first, without masked cells
 */
export function strongest(cells, columns, count) {
  return Array.from(
    cells,
    (value, i) =>
      /** @type {[number, number, number]} */ ([value, Math.floor(i / columns), i % columns]),
  )
    .filter(([value]) => value !== MASKED)
    .sort((a, b) => b[0] - a[0])
    .slice(0, count);
}

/**
 * @param {number} rows
 * @param {number} columns
 * @param {number} width of the available space
 * @param {number} height
 * @returns {Layout} with numbers, if they fit
 */
export function layoutOf(rows, columns, width, height) {
  const printed =
    LABEL + columns * VALUE_CELL.width <= width &&
    LABEL + rows * VALUE_CELL.height <= height * 0.75;
  if (printed) return { printed, wide: VALUE_CELL.width, high: VALUE_CELL.height };
  const square = clamp(Math.min(width * 0.4, height * 0.6) / Math.max(rows, columns), 2, 22);
  return { printed, wide: square, high: square };
}

/**
 * @param {Uint16Array} cells of one head, by rows
 * @param {[queries: string[], keys: string[]]} names
 * @param {number} count
 * @returns {string[]} its strongest links as text, the largest first
 */
export function linksOf(cells, [queries, keys], count) {
  return strongest(cells, keys.length, count).map(
    ([value, query, key]) => `${queries[query]} → ${keys[key]}  ${two(value)}`,
  );
}

/** @param {HTMLElement} list @param {string[]} links */
export function fillList(list, links) {
  list.replaceChildren(
    ...links.map((text) => {
      const item = document.createElement("li");
      item.textContent = text;
      return item;
    }),
  );
}
