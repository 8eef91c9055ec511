// How the heads are laid out: layers down and heads across, and where that would be a narrow tower,
// in several blocks beside one another.

import { clamp } from "../common/scale.js";

export const MARGIN = { left: 30, top: 18 }; // for the names: left of every block, and above
export const GAP = 2; // between thumbnails
const SHARE = 0.26; // of the window's height that all of them take where they can
const AT_MOST = 0.4; // of it that they take before they become smaller than AMPLE
const AMPLE = 26; // pixels from one thumbnail to the next
const SMALLEST = 20;

/**
 * @typedef {object} Fold
 * @property {number} blocks beside one another
 * @property {number} rows layers of a block; of the last maybe fewer
 * @property {number} high from one thumbnail down to the next
 */

/**
 * @typedef {object} Room
 * @property {number} width
 * @property {number} screen the window's height
 * @property {number} [stage] the height of all there is for them, where they are presented
 */

/**
 * @param {Room} room
 * @param {{ layers: number, heads: number }} data
 * @param {number} [aspect] of a thumbnail: how many times as wide as high
 * @returns {Fold} as large as there is room, but so that all heads and what is read below them are
 *   on the screen together; in no more blocks than that takes. Rather than be specks they grow
 *   beyond it.
 */
export function foldOf({ width, screen, stage }, { layers, heads }, aspect = 1) {
  const most = stage ?? Math.max(SHARE * screen, 200);
  const folds = Array.from({ length: layers }, (_, i) => {
    const rows = Math.ceil(layers / (i + 1));
    const blocks = Math.ceil(layers / rows);
    const across = ((width / blocks - MARGIN.left) / heads - GAP) / aspect + GAP;
    const step = (/** @type {number} */ height) => (height - MARGIN.top) / rows;
    return { blocks, rows, across, high: Math.min(across, step(most)), step };
  });
  const largest = folds.reduce((a, b) => (b.high > a.high ? b : a));
  // Layers of one thumbnail each take all the room: nothing of theirs is read from row to row.
  const fitting = heads === 1 ? largest : (folds.find(({ high }) => high >= AMPLE) ?? largest);
  // On a projector nobody touches them, or scrolls.
  if (fitting.high >= SMALLEST || stage !== undefined) return onlyFold(fitting, fitting.high);
  // None fits: the lowest of those that are wide enough.
  const wide = folds.findLast(({ across }) => across >= SMALLEST) ?? folds[0];
  const high = clamp(wide.step(AT_MOST * screen), SMALLEST, AMPLE);
  return onlyFold(wide, Math.min(wide.across, high));
}

/**
 * @param {Fold} fold
 * @param {number} high
 * @returns {Fold}
 */
function onlyFold({ blocks, rows }, high) {
  return { blocks, rows, high };
}

/**
 * @param {Place} place
 * @param {[down: number, across: number]} move of an arrow key
 * @param {{ layers: number, heads: number }} data
 * @param {number} rows layers of a block
 * @returns {Place} where it leads, maybe outside: up and down from layer to layer, left and right
 *   from head to head, and over a block's edge to the one beside it
 */
export function moved({ layer, head }, [down, across], { layers, heads }, rows) {
  const to = { layer: layer + down, head: head + across };
  const over = Math.floor(to.head / heads); // -1, 0 or 1
  const beside = to.layer + over * rows;
  if (over === 0 || beside < 0 || beside >= layers) return to;
  return { layer: beside, head: to.head - over * heads };
}
