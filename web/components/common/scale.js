// Opacity and text of attention weights. Weights are integers in ten-thousandths, as in
// viz/canvas.py.

/** A weight of 1. */
export const WHOLE = 10000;

/** Marks a cell that the model's mask hides, as in viz/canvas.py. It is not a weight of 0. */
export const MASKED = 65535;

/** Weights below 0.01 are not drawn as lines, printed in cells or listed. */
export const FAINTEST = 100;

/**
 * Whether the opacity is the square root of the weight, and the weights without and in full colour.
 *
 * @typedef {{ sqrt: boolean, low: number, high: number }} Scale in ten-thousandths
 */

/** From 0 to 1; 0 for a masked cell. @param {number} weight @param {Scale} scale */
export function opacity(weight, { sqrt, low, high }) {
  if (weight === MASKED) return 0;
  const share = clamp((weight - low) / Math.max(high - low, 1), 0, 1);
  return sqrt ? Math.sqrt(share) : share;
}

/** The exact weight. @param {number} weight in ten-thousandths */
export function four(weight) {
  return (weight / WHOLE).toFixed(4);
}

/** Two decimals, or three if four do not determine the second. @param {number} weight */
export function two(weight) {
  return (weight / WHOLE).toFixed(weight % 100 === 50 ? 3 : 2);
}

/** @param {number} value @param {number} low @param {number} high */
export function clamp(value, low, high) {
  return Math.min(Math.max(value, low), high);
}
