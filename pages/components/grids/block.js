// A block of cells, as a spreadsheet puts it into the clipboard.

/**
 * @param {string} text lines of cells with tabs between them
 * @returns {string[][]} its rows, of unequal length perhaps
 */
export function blockOf(text) {
  return text
    .replace(/(\r?\n)+$/, "")
    .split(/\r?\n/)
    .map((line) => line.split("\t").map((cell) => cell.trim()));
}

/**
 * @param {string[][]} block
 * @returns {[rows: number, columns: number]}
 */
export function sizeOf(block) {
  return [block.length, Math.max(...block.map((line) => line.length))];
}

/**
 * Lay a block over cells, from one of them on; what sticks out is left away.
 *
 * @param {string[][]} cells
 * @param {string[][]} block
 * @param {number} row
 * @param {number} column
 * @returns {[rows: number, columns: number]} how much of it fits
 */
export function lay(cells, block, row, column) {
  block.forEach((line, i) =>
    line.forEach((text, j) => {
      if (column + j < (cells[row + i]?.length ?? 0)) cells[row + i][column + j] = text;
    }),
  );
  const [rows, columns] = sizeOf(block);
  return [Math.min(rows, cells.length - row), Math.min(columns, cells[row].length - column)];
}
