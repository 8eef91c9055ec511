// One small image per head, all in one: the browser scales and places them.

import { MASKED, WHOLE, opacity } from "../common/scale.js";

/** @import { Scale } from "../common/scale.js" */

/** @typedef {{ rows: number, columns: number }} Extent */

/**
 * Draw all heads, at most as large as they are shown; of the weights that share a pixel the largest
 * is drawn, so that thin diagonals stay visible.
 *
 * @param {OverviewHeader & Cells} data
 * @param {Scale} scale
 * @param {Extent} pixels of the screen that a thumbnail takes
 * @param {string} ink the colour of text
 * @returns {{ canvas: OffscreenCanvas, ground: OffscreenCanvas | null, drawn: Extent }} layers down
 *   and heads across; the same with ink wherever attention is allowed, if a mask hides anything;
 *   and the pixels that a thumbnail takes in them
 */
export function drawThumbnails(data, scale, pixels, ink) {
  const { layers, heads, cells, rgb } = data;
  const size = data.first ?? { rows: data.size, columns: (data.keys ?? data).size };
  const drawn = {
    rows: Math.min(size.rows, Math.max(pixels.rows, 1)),
    columns: Math.min(size.columns, Math.max(pixels.columns, 1)),
  };
  const image = new ImageData(heads * drawn.columns, layers * drawn.rows);
  const rgba = new Uint32Array(image.data.buffer);
  const table = colours(rgb, scale);
  const area = size.rows * size.columns;
  const open = cells.includes(MASKED) ? new ImageData(image.width, image.height) : null;
  const inked = open && new Uint32Array(open.data.buffer);
  for (let index = 0; index < layers * heads; index++) {
    const head = cells.subarray(index * area, (index + 1) * area);
    const largest = shrunk(head, size, drawn);
    const row = Math.floor(index / heads) * drawn.rows;
    const column = (index % heads) * drawn.columns;
    for (let y = 0; y < drawn.rows; y++)
      for (let x = 0; x < drawn.columns; x++) {
        const value = largest[y * drawn.columns + x];
        const at = (row + y) * image.width + column + x;
        rgba[at] = table[value];
        if (inked && value !== MASKED) inked[at] = 0xff000000; // opaque
      }
  }
  return { canvas: painted(image), ground: open && painted(open, ink), drawn };
}

/**
 * @param {ImageData} image
 * @param {string} [ink] in place of the image's own colours
 */
function painted(image, ink) {
  const canvas = new OffscreenCanvas(image.width, image.height);
  const context = canvas.getContext("2d");
  context.putImageData(image, 0, 0);
  if (ink) {
    context.globalCompositeOperation = "source-in"; // where the image is opaque
    context.fillStyle = ink;
    context.fillRect(0, 0, image.width, image.height);
  }
  return canvas;
}

/**
 * @param {Uint16Array} cells of one head, by rows
 * @param {Extent} size of it
 * @param {Extent} drawn at most that
 * @returns {Uint16Array} by rows, the largest of the weights that share a place; masked where all are
 */
export function shrunk(cells, size, drawn) {
  const down = places(size.rows, drawn.rows);
  const across = places(size.columns, drawn.columns);
  // One more than each weight: in 16 bits MASKED and 1 are 0, less than any.
  const largest = new Uint16Array(drawn.rows * drawn.columns);
  for (let query = 0, cell = 0; query < size.rows; query++) {
    const row = down[query] * drawn.columns;
    for (let key = 0; key < size.columns; key++, cell++) {
      const at = row + across[key];
      const value = (cells[cell] + 1) & MASKED;
      if (value > largest[at]) largest[at] = value;
    }
  }
  return largest.map((value) => value - 1); // 0 - 1 is MASKED again
}

/**
 * @param {number} count
 * @param {number} room
 * @returns {Uint16Array} where each of so many stands among fewer
 */
function places(count, room) {
  return Uint16Array.from({ length: count }, (_, i) => Math.floor((i * room) / count));
}

/**
 * @param {Rgb} rgb
 * @param {Scale} scale
 * @returns {Uint32Array} a pixel for every weight, in the order of bytes that ImageData has
 */
export function colours([red, green, blue], scale) {
  const table = new Uint32Array(WHOLE + 1);
  for (let value = 0; value <= WHOLE; value++) {
    const alpha = Math.round(255 * opacity(value, scale));
    table[value] = (alpha << 24) | (blue << 16) | (green << 8) | red; // little-endian RGBA
  }
  return table;
}
