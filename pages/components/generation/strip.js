// Every layer at once: layers down, tokens across, and below them which keys and values are kept and
// which are computed at this step.

import { sharp } from "../common/canvas.js";
import { MASKED, WHOLE, clamp } from "../common/scale.js";

const GUTTER = 38; // pixels for the names of the layers
const WIDEST = 26; // pixels of a column
const NAMED = 11; // columns narrower than this have no names below
const NAMES = 66; // pixels for them
const LETTERS = 9; // of a name, with the dots
const KEPT = 12; // pixels of the row of keys and values
const GAP = 5;
const TOP = 6; // room for half of the first layer's name

/**
 * @param {number} layers
 * @param {number} tokens
 * @param {number} width that there is
 */
export function place(layers, tokens, width) {
  const column = Math.min(WIDEST, (width - GUTTER) / tokens);
  const row = clamp(Math.floor(264 / layers), 6, 18);
  const kept = TOP + layers * row + GAP;
  const height = kept + KEPT + (column >= NAMED ? NAMES : 4);
  return { column, row, kept, height, layers, tokens };
}

/** @typedef {ReturnType<typeof place>} Strip */

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
 * @param {number} given.chosen the layer that is drawn above
 * @param {(key: number) => "kept" | "computed" | undefined} given.keys
 * @param {string} given.keysName
 * @param {number} given.written the token that is written at this step; -1 for all
 * @param {string} given.hue
 * @param {string} given.ink
 */
export function drawStrip(
  canvas,
  strip,
  { names, weight, chosen, keys, keysName, written, hue, ink },
) {
  const { column, row, kept, height, layers, tokens } = strip;
  const context = sharp(canvas, canvas.parentElement.clientWidth, height);
  const box = (key, y, size, alpha) => {
    context.globalAlpha = alpha;
    context.fillRect(GUTTER + key * column, y, Math.max(column - 1, 1), size);
  };
  context.fillStyle = hue;
  for (let key = 0; key < tokens; key += 1) {
    for (let layer = 0; layer < layers; layer += 1) {
      const got = weight(layer, key);
      if (got !== MASKED)
        box(key, TOP + layer * row, row - 1, Math.max(Math.sqrt(got / WHOLE), 0.04));
    }
    const state = keys(key);
    if (state) box(key, kept, KEPT, state === "kept" ? 0.3 : 1);
  }
  context.globalAlpha = 1;
  context.strokeStyle = context.fillStyle = ink;
  context.lineWidth = 1.5;
  context.strokeRect(GUTTER - 1.5, TOP + chosen * row - 1, column * tokens + 2, row + 1);
  context.font = "11px sans-serif";
  context.textBaseline = "middle";
  context.textAlign = "right";
  const every = row >= 14 ? 1 : 5;
  for (let layer = 0; layer < layers; layer += 1) {
    const near = layer !== chosen && Math.abs(layer - chosen) * row < 12;
    if (layer !== chosen && (layer % every || near)) continue;
    context.font = `${layer === chosen ? "bold " : ""}11px sans-serif`;
    context.fillText(`L${layer}`, GUTTER - 5, TOP + (layer + 0.5) * row);
  }
  context.font = "11px sans-serif";
  context.fillText(keysName, GUTTER - 5, kept + KEPT / 2);
  if (column < NAMED) return;
  names.forEach((name, key) => {
    context.save();
    context.translate(GUTTER + (key + 0.5) * column, kept + KEPT + 5);
    context.rotate(-Math.PI / 2);
    context.font = `${key === written ? "bold " : ""}11px sans-serif`;
    context.globalAlpha = written >= 0 && key > written ? 0.5 : 1;
    context.fillText(name.length > LETTERS ? `${name.slice(0, LETTERS - 1)}…` : name, 0, 0);
    context.restore();
  });
}
