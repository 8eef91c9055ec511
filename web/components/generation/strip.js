// The strip of layers: layers down, tokens across, and a row for the key/value cache of this step.

import { sharp } from "../common/canvas.js";
import { MASKED, WHOLE, clamp } from "../common/scale.js";

const GUTTER = 38; // pixels for the layer names
const MAX_COLUMN = 26; // pixels
const MIN_NAMED = 11; // pixels of the narrowest column with a token name
const NAMES = 66; // pixels for the token names
const MAX_LETTERS = 9; // of a token name, ellipsis included
const CACHE_ROW = 12; // pixels of the row of keys and values
const GAP = 5;
const TOP = 6; // pixels for the upper half of the first layer's name

/** @param {number} layers @param {number} tokens @param {number} width of the canvas */
export function stripLayout(layers, tokens, width) {
  const column = Math.min(MAX_COLUMN, (width - GUTTER) / tokens);
  const row = clamp(Math.floor(264 / layers), 6, 18);
  const cacheTop = TOP + layers * row + GAP;
  const height = cacheTop + CACHE_ROW + (column >= MIN_NAMED ? NAMES : 4);
  return { column, row, cacheTop, width, height, layers, tokens };
}

/** @typedef {ReturnType<typeof stripLayout>} Strip */

/**
 * @param {Strip} strip
 * @param {number} x in the canvas
 * @param {number} y
 * @returns {{ layer: number, key: number } | undefined} the cell there
 */
export function cellAt({ column, row, layers, tokens }, x, y) {
  const [layer, key] = [Math.floor((y - TOP) / row), Math.floor((x - GUTTER) / column)];
  return layer >= 0 && layer < layers && key >= 0 && key < tokens ? { layer, key } : undefined;
}

/**
 * @param {HTMLCanvasElement} canvas
 * @param {Strip} strip
 * @param {object} given
 * @param {string[]} given.names of the tokens
 * @param {(layer: number, key: number) => number} given.weight in ten-thousandths
 * @param {number} given.selected the layer of the ribbon
 * @param {(key: number) => "kept" | "computed" | undefined} given.cacheState
 * @param {string} given.cacheName
 * @param {number} given.written the token of this step; -1 for all steps
 * @param {string} given.hue
 * @param {string} given.ink
 */
export function drawStrip(
  canvas,
  strip,
  { names, weight, selected, cacheState, cacheName, written, hue, ink },
) {
  const { column, row, cacheTop, width, height, layers, tokens } = strip;
  const context = sharp(canvas, width, height);
  /** @type {(key: number, y: number, size: number, alpha: number) => void} */
  const box = (key, y, size, alpha) => {
    context.globalAlpha = alpha;
    context.fillRect(GUTTER + key * column, y, Math.max(column - 1, 1), size);
  };
  context.fillStyle = hue;
  for (let key = 0; key < tokens; key += 1) {
    for (let layer = 0; layer < layers; layer += 1) {
      const value = weight(layer, key);
      if (value !== MASKED)
        box(key, TOP + layer * row, row - 1, Math.max(Math.sqrt(value / WHOLE), 0.04));
    }
    const state = cacheState(key);
    if (state) box(key, cacheTop, CACHE_ROW, state === "kept" ? 0.3 : 1);
  }
  context.globalAlpha = 1;
  context.strokeStyle = context.fillStyle = ink;
  context.lineWidth = 1.5;
  context.strokeRect(GUTTER - 1.5, TOP + selected * row - 1, column * tokens + 2, row + 1);
  context.font = "11px sans-serif";
  context.textBaseline = "middle";
  context.textAlign = "right";
  const every = row >= 14 ? 1 : 5;
  for (let layer = 0; layer < layers; layer += 1) {
    const near = layer !== selected && Math.abs(layer - selected) * row < 12;
    if (layer !== selected && (layer % every || near)) continue;
    context.font = `${layer === selected ? "bold " : ""}11px sans-serif`;
    context.fillText(`L${layer}`, GUTTER - 5, TOP + (layer + 0.5) * row);
  }
  context.font = "11px sans-serif";
  context.fillText(cacheName, GUTTER - 5, cacheTop + CACHE_ROW / 2);
  if (column < MIN_NAMED) return;
  names.forEach((name, key) => {
    context.save();
    context.translate(GUTTER + (key + 0.5) * column, cacheTop + CACHE_ROW + 5);
    context.rotate(-Math.PI / 2);
    context.font = `${key === written ? "bold " : ""}11px sans-serif`;
    context.globalAlpha = written >= 0 && key > written ? 0.5 : 1;
    context.fillText(name.length > MAX_LETTERS ? `${name.slice(0, MAX_LETTERS - 1)}…` : name, 0, 0);
    context.restore();
  });
}
