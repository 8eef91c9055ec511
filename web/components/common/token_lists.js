// Positions in two lists of tokens side by side: queries on the left, keys on the right.

/** @typedef {{ queries: number, keys: number }} Counts number of tokens in each list */

/**
 * @param {number} token
 * @param {boolean} query whether the token is on the left
 * @param {Counts} counts
 * @param {number} row pixels from one token to the next
 * @returns {number} the token's y coordinate; the shorter list is centred on the longer one
 */
export function middleOf(token, query, { queries, keys }, row) {
  const longer = Math.max(queries, keys);
  return 4 + (token + 0.5 + (longer - (query ? queries : keys)) / 2) * row;
}

/**
 * @param {number} y from the top
 * @param {boolean} query whether to search on the left
 * @param {Counts} counts
 * @param {number} row pixels from one token to the next
 * @returns {number | null} the token at this coordinate
 */
export function tokenAt(y, query, counts, row) {
  const token = Math.floor((y - middleOf(0, query, counts, row)) / row + 0.5);
  return token >= 0 && token < (query ? counts.queries : counts.keys) ? token : null;
}
