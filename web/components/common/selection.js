// Names of heads, and selections of tokens.

/** @param {number} layer from 0 @param {number} head @returns {string} */
export function headName(layer, head) {
  return `L${layer}·H${head}`;
}

/**
 * @param {Iterable<number>} picked the selected tokens
 * @param {number} token that was clicked
 * @returns {number[]} the sorted selection, with the token added or removed
 */
export function toggled(picked, token) {
  const after = new Set(picked);
  if (!after.delete(token)) after.add(token);
  return [...after].sort((a, b) => a - b);
}
