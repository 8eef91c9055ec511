// One small image per head, all in one: the browser scales and places them.

import { WHOLE, opacity } from "../common/scale.js";

/** @import { Scale } from "../common/scale.js" */

/**
 * Draw all heads, at most as large as they are shown; of the weights that share a pixel the largest
 * is drawn, so that thin diagonals stay visible.
 *
 * @param {OverviewHeader & Cells} data
 * @param {Scale} scale
 * @param {number} pixels of the screen along a thumbnail
 * @returns {{ canvas: OffscreenCanvas, side: number }} layers down and heads across, and the pixels
 *   that a thumbnail takes in it
 */
export function drawThumbnails({ layers, heads, size, cells, rgb }, scale, pixels) {
  const side = Math.min(size, Math.max(pixels, 1));
  const image = new ImageData(heads * side, layers * side);
  const rgba = new Uint32Array(image.data.buffer);
  const table = colours(rgb, scale);
  for (let index = 0; index < layers * heads; index++) {
    const head = cells.subarray(index * size * size, (index + 1) * size * size);
    const largest = shrunk(head, size, side);
    const corner = Math.floor(index / heads) * side * heads * side + (index % heads) * side;
    for (let y = 0; y < side; y++)
      for (let x = 0; x < side; x++)
        rgba[corner + y * heads * side + x] = table[largest[y * side + x]];
  }
  const canvas = new OffscreenCanvas(image.width, image.height);
  canvas.getContext("2d").putImageData(image, 0, 0);
  return { canvas, side };
}

/**
 * @param {Uint16Array} cells of one head, size x size
 * @param {number} size
 * @param {number} side at most `size`
 * @returns {Uint16Array} side x side: the largest of the weights that share a place
 */
export function shrunk(cells, size, side) {
  const place = Uint16Array.from({ length: size }, (_, i) => Math.floor((i * side) / size));
  const largest = new Uint16Array(side * side);
  for (let query = 0, cell = 0; query < size; query++) {
    const row = place[query] * side;
    for (let key = 0; key < size; key++, cell++) {
      const at = row + place[key];
      if (cells[cell] > largest[at]) largest[at] = cells[cell];
    }
  }
  return largest;
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
