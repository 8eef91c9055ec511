// Names of heads.

/** @param {number} layer from 0 @param {number} head @returns {string} */
export function headName(layer, head) {
  return `L${layer}·H${head}`;
}
