// How the matrices of a line stand beside one another.

import { build } from "./table.js";

// Where all stand in wide rows, what the step before has just shown is not drawn again.
const NEWS = {
  divide: (items, known) => items.slice(2).filter(known), // the bias, if there is one, and the result
  mask: () => ["allowed", "masked_scores"],
  softmax: () => ["exponentials", "row_sums", "weights"],
};

export function rowOf(kind, parts) {
  const row = build("div", `line ${kind}`);
  row.append(...parts);
  return row;
}

/**
 * @param {{ items: string[], kind: string }} line
 * @param {{ wide: boolean, matrices: Record<string, unknown> }} data
 * @param {(name: string) => HTMLElement} matrix draws one
 */
export function layOut({ items, kind }, data, matrix) {
  const known = (item) => item in data.matrices;
  const operator = (item = "") => build("span", "operator", item);
  if (kind === "each" || kind === "over") return stacked(items, known, matrix);
  if (!data.wide)
    return rowOf(
      kind,
      items.map((item) => (known(item) ? matrix(item) : operator(item))),
    );
  // As on paper: the right factor above the result, the left one beside it.
  if (kind === "product")
    return rowOf("corner", [operator(), matrix(items[2]), matrix(items[0]), matrix(items[4])]);
  if (kind === "affine") {
    const above = build("div", "above");
    above.append(matrix(items[2]), matrix(items[4]));
    return rowOf("corner", [operator(), above, matrix(items[0]), matrix(items[6])]);
  }
  const drawn =
    items.includes("source") || !NEWS[kind] ? items.filter(known) : NEWS[kind](items, known);
  return rowOf(kind, drawn.map(matrix));
}

// Row above row, as numbers are added up on paper: the sign stands before what it brings in.
function stacked(items, known, matrix) {
  const rows = [];
  let sign = "";
  for (const item of items) {
    if (!known(item)) sign = item;
    else {
      rows.push(rowOf("stacked", [build("span", "operator", sign), matrix(item)]));
      sign = "";
    }
  }
  const stack = build("div", "stack");
  stack.append(...rows);
  return stack;
}
