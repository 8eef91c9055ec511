// Layout of the matrices of a line.

import { element } from "../common/element.js";

/** @typedef {(item: string) => boolean} Known whether an item is a matrix, not an operator */

// In the wide layout, a line omits the matrices of the step before.
/** @type {Partial<Record<LineKind, (items: string[], known: Known) => string[]>>} */
const NEW_ITEMS = {
  divide: (items, known) => items.slice(2).filter(known), // the bias, if there is one, and the result
  mask: () => ["allowed", "masked_scores"],
  softmax: () => ["exponentials", "row_sums", "weights"],
};

/** @param {string} kind CSS class @param {HTMLElement[]} parts */
export function rowOf(kind, parts) {
  const row = element("div", `line ${kind}`);
  row.append(...parts);
  return row;
}

/**
 * @param {CalculationLine} line
 * @param {Calculation} data
 * @param {(name: string) => HTMLElement} matrix draws a matrix
 */
export function layOut({ items, kind }, data, matrix) {
  const known = (/** @type {string} */ item) => item in data.matrices;
  const operator = (item = "") => element("span", "operator", item);
  if (!data.wide)
    return rowOf(
      kind,
      items.map((item) => (known(item) ? matrix(item) : operator(item))),
    );
  // As on paper: the right factor above the result, the left one beside it.
  if (kind === "product")
    return rowOf("corner", [operator(), matrix(items[2]), matrix(items[0]), matrix(items[4])]);
  const newItems = items.includes("source") ? undefined : NEW_ITEMS[kind];
  const drawn = newItems ? newItems(items, known) : items.filter(known);
  return rowOf(kind, drawn.map(matrix));
}
