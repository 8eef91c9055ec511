// Thumbnails of all heads in one image. The browser scales and places them.

import { MASKED, WHOLE, opacity } from "../common/scale.js";

/** @import { Scale } from "../common/scale.js" */

/** @typedef {{ rows: number, columns: number }} Extent */

/**
 * Draw all heads, at most in the resolution of the screen. A pixel shows the largest of its
 * weights, so that thin diagonals stay visible.
 *
 * @param {Subject} subject
 * @param {Scale} scale
 * @param {Extent} pixels screen pixels of a thumbnail
 * @param {string} ink the text colour
 * @returns {{ canvas: OffscreenCanvas, hidden: OffscreenCanvas | null, drawn: Extent }} the image,
 *   with layers as rows and heads as columns; if there are masked cells, an image with ink in them;
 *   and the pixels of a thumbnail in both images
 */
export function drawThumbnails({ layers, heads, cells, rgb, first: size }, scale, pixels, ink) {
  const drawn = {
    rows: Math.min(size.rows, Math.max(pixels.rows, 1)),
    columns: Math.min(size.columns, Math.max(pixels.columns, 1)),
  };
  const image = new ImageData(heads * drawn.columns, layers * drawn.rows);
  const rgba = new Uint32Array(image.data.buffer);
  const table = colours(rgb, scale);
  const area = size.rows * size.columns;
  const hidden = cells.includes(MASKED) ? new ImageData(image.width, image.height) : null;
  const inked = hidden && new Uint32Array(hidden.data.buffer);
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
        if (inked && value === MASKED) inked[at] = 0xff000000; // opaque
      }
  }
  return { canvas: painted(image), hidden: hidden && painted(hidden, ink), drawn };
}

/** @param {ImageData} image @param {string} [ink] replaces the colours of the image */
function painted(image, ink) {
  const canvas = new OffscreenCanvas(image.width, image.height);
  const context = /** @type {OffscreenCanvasRenderingContext2D} */ (canvas.getContext("2d"));
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
 * @param {Extent} size of the head
 * @param {Extent} drawn the reduced size
 * @returns {Uint16Array} by rows: the largest weight of each reduced cell; MASKED if all are masked
 */
export function shrunk(cells, size, drawn) {
  const down = places(size.rows, drawn.rows);
  const across = places(size.columns, drawn.columns);
  // Each weight plus 1: in 16 bits, MASKED becomes 0, which is less than any weight.
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

/** For each of `count` cells, the index of its reduced cell. @param {number} count @param {number} room */
function places(count, room) {
  return Uint16Array.from({ length: count }, (_, i) => Math.floor((i * room) / count));
}

/** The pixel of every weight, in the byte order of ImageData. @param {Rgb} rgb @param {Scale} scale */
export function colours([red, green, blue], scale) {
  const table = new Uint32Array(WHOLE + 1);
  for (let value = 0; value <= WHOLE; value++) {
    const alpha = Math.round(255 * opacity(value, scale));
    table[value] = (alpha << 24) | (blue << 16) | (green << 8) | red; // little-endian RGBA
  }
  return table;
}
