// Opacity and text of attention weights, which are multiples of 1/40,000, rounded to odd: viz/canvas.py.

/** A weight of 1. */
export const WHOLE = 40_000;

/** Marks a cell that the model's mask hides, as in viz/canvas.py. It is not a weight of 0. */
export const MASKED = 65535;

/** Weights below 0.01 are not drawn as lines, printed in cells or listed. */
export const FAINTEST = WHOLE / 100;

/**
 * Whether the opacity is the square root of the weight, and the weights without and in full colour.
 *
 * @typedef {{ sqrt: boolean, low: number, high: number }} Scale
 */

/** From 0 to 1; 0 for a masked cell. @param {number} weight @param {Scale} scale */
export function opacity(weight, { sqrt, low, high }) {
  if (weight === MASKED) return 0;
  const share = clamp((weight - low) / Math.max(high - low, 1), 0, 1);
  return sqrt ? Math.sqrt(share) : share;
}

/** The nearest number with so many decimals; a tie to the even one. @param {number} weight @param {number} decimals */
export function rounded(weight, decimals) {
  const unit = WHOLE / 10 ** decimals;
  const below = Math.floor(weight / unit);
  const over = weight - (below + 0.5) * unit;
  return (below + Number(over > 0 || (over === 0 && below % 2 === 1))) / 10 ** decimals;
}

/** @param {number} weight */
export function four(weight) {
  return rounded(weight, 4).toFixed(4);
}

/** @param {number} weight */
export function two(weight) {
  return rounded(weight, 2).toFixed(2);
}

/** @param {number} value @param {number} low @param {number} high */
export function clamp(value, low, high) {
  return Math.min(Math.max(value, low), high);
}
