// Heads and tokens, as all views name and pick them.

/**
 * @param {number} layer from 0, as everywhere
 * @param {number} head
 * @returns {string}
 */
export function headName(layer, head) {
  return `L${layer}·H${head}`;
}

/**
 * @param {Iterable<number>} picked the tokens picked so far
 * @param {number} token one that was clicked
 * @returns {number[]} with it, or without it if it was picked, in order
 */
export function toggled(picked, token) {
  const after = new Set(picked);
  if (!after.delete(token)) after.add(token);
  return [...after].sort((a, b) => a - b);
}
