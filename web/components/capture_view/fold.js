// Layout of the heads: layers are rows and heads are columns. A narrow and high layout is folded
// into several blocks side by side.

import { clamp } from "../common/scale.js";

export const MARGIN = { left: 30, top: 18 }; // for the names, left of every block and above
export const GAP = 2; // between thumbnails
const SHARE = 0.2; // usual share of the window's height for all heads
const AT_MOST = 0.4; // maximum share, if the thumbnails would be smaller than SMALLEST
const AMPLE = 26; // pixels from one thumbnail to the next; larger ones need no more blocks
const SMALLEST = 20;
const STRETCH = 2; // maximum width of a thumbnail, in its usual widths
const HIGHEST = 1.5; // maximum height of a presented one, in its usual heights

/**
 * The fewest blocks with thumbnails of at least AMPLE, otherwise the largest thumbnails. All heads fit
 * into a share of the window's height, so that the content below them is visible. They exceed that
 * share if the thumbnails would be smaller than SMALLEST.
 *
 * @param {{ width: number, screen: number, stage?: number }} room the width, the window's height, and
 *   the available height during a presentation
 * @param {{ layers: number, heads: number }} data
 * @param {number} [aspect] of a thumbnail: width / height
 * @returns {{ blocks: number, rows: number, high: number, wide: number }} blocks side by side; layers
 *   of a block, the last one may have fewer; pixels from one thumbnail down to the next, and across:
 *   all the width, if the thumbnails are not stretched too far
 */
export function foldOf({ width, screen, stage }, { layers, heads }, aspect = 1) {
  const most = stage ?? Math.max(SHARE * screen, 170);
  const folds = Array.from({ length: layers }, (_, i) => {
    const rows = Math.ceil(layers / (i + 1));
    const blocks = Math.ceil(layers / rows);
    const slot = (width / blocks - MARGIN.left) / heads;
    const across = ((slot - GAP) / aspect) * (stage && heads > 1 ? HIGHEST : 1) + GAP;
    const step = (/** @type {number} */ height) => (height - MARGIN.top) / rows;
    return { blocks, rows, slot, across, high: Math.min(across, step(most)), step };
  });
  /** @type {(fold: (typeof folds)[number], high: number) => ReturnType<typeof foldOf>} */
  const laidOut = ({ blocks, rows, slot }, high) => {
    const wide = (high - GAP) * aspect;
    return { blocks, rows, high, wide: Math.min(slot - GAP, STRETCH * wide) + GAP };
  };
  const largest = folds.reduce((a, b) => (b.high > a.high ? b : a));
  // With one thumbnail in each layer, one row reads best, but not from the back of a room.
  const line = folds[layers - 1];
  const single = line.high >= AMPLE && stage === undefined ? line : largest;
  const fitting = heads === 1 ? single : (folds.find(({ high }) => high >= AMPLE) ?? largest);
  // A projector has no touch input and no scrolling: small thumbnails are allowed.
  if (fitting.high >= SMALLEST || stage !== undefined) return laidOut(fitting, fitting.high);
  // None fits: take the lowest fold with sufficient width.
  const wide = folds.findLast(({ across }) => across >= SMALLEST) ?? folds[0];
  const high = clamp(wide.step(AT_MOST * screen), SMALLEST, AMPLE);
  return laidOut(wide, Math.min(wide.across, high));
}

/**
 * @param {Head} from
 * @param {[down: number, across: number]} move of an arrow key
 * @param {{ layers: number, heads: number }} data
 * @param {number} stride layers of a block; with one head, pictures of a row
 * @returns {Head} the new position, which may be outside. Up and down change the layer, left and
 *   right the head. At the edge of a block, it is in the next block.
 */
export function moved(from, [down, across], { layers, heads }, stride) {
  if (heads === 1) {
    const to = from[0] + down * stride + across;
    return [to < 0 || to >= layers ? from[0] : to, 0];
  }
  const [layer, head] = [from[0] + down, from[1] + across];
  const over = Math.floor(head / heads); // -1, 0 or 1
  const beside = layer + over * stride;
  if (over === 0 || beside < 0 || beside >= layers) return [layer, head];
  return [beside, head - over * heads];
}
