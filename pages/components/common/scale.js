// How strongly a weight is coloured, and how it is printed. Weights are whole ten-thousandths, as
// viz/canvas.py packs them.

/** What an all-or-nothing weight is. */
export const WHOLE = 10000;

/** A cell that the model's mask hides, as viz/canvas.py sends it: no weight, not even 0. */
export const MASKED = 65535;

/**
 * @typedef {object} Scale
 * @property {boolean} sqrt whether small weights are lifted by a square root
 * @property {number} low the weight that is not coloured, in ten-thousandths
 * @property {number} high the weight in full colour
 */

/**
 * @param {Pick<View, "sqrt" | "range">} [view] what the page shows; all weights, evenly, without it
 * @returns {Scale}
 */
export function scaleOf(view) {
  const { sqrt, range } = view ?? { sqrt: false, range: [0, 1] };
  return { sqrt, low: range[0] * WHOLE, high: range[1] * WHOLE };
}

/**
 * @param {number} weight in ten-thousandths
 * @param {Scale} scale
 * @returns {number} from 0 to 1; 0 for what is masked
 */
export function opacity(weight, { sqrt, low, high }) {
  if (weight === MASKED) return 0;
  const share = clamp((weight - low) / Math.max(high - low, 1), 0, 1);
  return sqrt ? Math.sqrt(share) : share;
}

/**
 * @param {number} weight in ten-thousandths
 * @returns {string} the weight to four decimals, exactly as it was sent
 */
export function four(weight) {
  return (weight / WHOLE).toFixed(4);
}

/**
 * @param {number} weight in ten-thousandths
 * @returns {string} the weight to two decimals
 */
export function two(weight) {
  return (weight / WHOLE).toFixed(2);
}

/**
 * @param {number} value
 * @param {number} low
 * @param {number} high
 * @returns {number} the value, or the nearer end where it lies outside
 */
export function clamp(value, low, high) {
  return Math.min(Math.max(value, low), high);
}
