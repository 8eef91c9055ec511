// Positions in two lists of tokens side by side: queries on the left, keys on the right.

/** @typedef {{ queries: number, keys: number }} Counts number of tokens in each list */

/** @type {(token: number, query: boolean, counts: Counts, row: number) => number} */
export function middleOf(token, query, { queries, keys }, row) {
  const longer = Math.max(queries, keys);
  return 4 + (token + 0.5 + (longer - (query ? queries : keys)) / 2) * row;
}

/** @type {(y: number, query: boolean, counts: Counts, row: number) => number | null} */
export function tokenAt(y, query, counts, row) {
  const token = Math.floor((y - middleOf(0, query, counts, row)) / row + 0.5);
  return token >= 0 && token < (query ? counts.queries : counts.keys) ? token : null;
}
