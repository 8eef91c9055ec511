// Dependencies between cells: the line that computes a cell, and the cells that it uses.

const PARTS_OF_WEIGHTS = ["maxima", "exponentials", "row_sums"];

/** @type {Record<string, string>} the matrix of all heads for that of one head */
const ALL_HEADS = { Q: "Q_heads", K: "K_heads", V: "V_heads" };

/** @param {CalculationLine} line @returns {string} the name of the matrix that the line computes */
export function resultOf({ items }) {
  return items[items.length - 1];
}

/**
 * The line that computes a cell, and the cell's place in its result. A row's maximum and sum belong
 * to all of its weights, of which `chosen` is the selected column.
 *
 * @type {(data: Calculation, name: string, row: number, column: number, chosen: number) =>
 *   [line: CalculationLine | undefined, row: number, column: number]}
 */
export function origin(data, name, row, column, chosen) {
  const lines = data.cards.flatMap((card) => card.lines);
  const lineOf = (/** @type {string} */ result) => lines.find((line) => resultOf(line) === result);
  if (name === "K_T") return origin(data, "K", column, row, chosen);
  if (PARTS_OF_WEIGHTS.includes(name))
    return [lineOf("weights"), row, name === "exponentials" ? column : chosen];
  if (name === "factor") return [lineOf("wrong_weights"), row, column];
  if (name === "source") {
    const line = lineOf("wrong_weights"); // it also holds the queries that are not drawn
    return [line, line?.kind === "softmax_columns" ? row - data.offset : row, column];
  }
  if (name === "allowed") return [lineOf("masked_scores"), row, column];
  const whole = ALL_HEADS[name];
  if (whole && lineOf(whole))
    return [lineOf(whole), row, column + data.head * data.matrices[name].values[0].length];
  return [lineOf(name), row, column];
}

/**
 * The row and column of an operand that a cell of the result uses, null for all of them; null if it
 * uses no cell.
 *
 * @type {(data: Calculation, line: CalculationLine, name: string, row: number, column: number) =>
 *   [row: number | null, column: number | null] | null}
 */
export function usedCells(data, line, name, row, column) {
  const [left, , right] = line.items;
  if (name === resultOf(line)) return [row, column];
  if (line.kind === "product")
    return name === left ? [row, null] : name === right ? [null, column] : null;
  if (line.kind === "softmax_columns") return [null, column];
  if (line.kind === "join") return [row, column - data.head * data.matrices.context.columns.length];
  if (name === "maxima" || name === "row_sums") return [row, 0];
  return line.kind === "softmax" ? [row, null] : [row, column];
}
