// Which cells belong together: where a cell was worked out, and what went into it.

const PARTS_OF_WEIGHTS = ["maxima", "exponentials", "row_sums"];

// The line that worked a cell out, and the cell's place in that line's result. A row's maximum and
// sum belong to all of its weights: `chosen` is the column that is looked at.
export function origin(data, name, row, column, chosen) {
  const lines = data.cards.flatMap((card) => card.lines);
  const making = (result) => lines.find((line) => line.items.at(-1) === result);
  if (name === "K_T") return origin(data, "K", column, row, chosen);
  if (PARTS_OF_WEIGHTS.includes(name))
    return [making("weights"), row, name === "exponentials" ? column : chosen];
  if (name === "factor") return [making("wrong_weights"), row, column];
  if (name === "source") {
    const line = making("wrong_weights"); // down a column, it holds the queries not drawn too
    return [line, line.kind === "softmax_columns" ? row - data.offset : row, column];
  }
  if (name === "allowed") return [making("masked_scores"), row, column];
  const whole = { Q: "Q_heads", K: "K_heads", V: "V_heads" }[name];
  if (whole && making(whole))
    return [making(whole), row, column + data.head * data.matrices[name].values[0].length];
  return [making(name), row, column];
}

// The cell of a line's result that an operand's cell goes into, where no step worked that one out:
// what stands in a column goes into the result's column. Null for what all of the result shares.
export function goal(data, line, name, column) {
  const wide = data.matrices[name].columns.length;
  const result = data.matrices[line.items.at(-1)];
  return wide > 1 && wide === result.columns.length ? [0, column] : null;
}

// Which row and column of an operand make cell (row, column) of the line's result; null: all.
export function madeOf(data, line, name, row, column) {
  const [left, , right] = line.items;
  if (name === line.items.at(-1)) return [row, column];
  if (line.kind === "product")
    return name === left ? [row, null] : name === right ? [null, column] : null;
  if (line.kind === "affine")
    return name === left ? [row, null] : name === right ? [null, column] : [0, column];
  if (line.kind === "each" || line.kind === "over") {
    if (data.matrices[name].columns.length === 1) return [0, 0]; // a row's mean, variance or sum
    return line.kind === "over" && name === left ? [row, null] : [row, column];
  }
  if (line.kind === "softmax_columns") return [null, column];
  if (line.kind === "join") {
    const own = column - data.head * data.matrices.context.columns.length;
    return [row, own];
  }
  if (name === "maxima" || name === "row_sums") return [row, 0];
  return line.kind === "softmax" ? [row, null] : [row, column];
}
