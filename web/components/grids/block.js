// Blocks of cells from a spreadsheet, in the clipboard's format.

/** @param {string} text lines of cells, separated by tabs; their lengths may differ */
export function blockOf(text) {
  return text
    .replace(/(\r?\n)+$/, "")
    .split(/\r?\n/)
    .map((line) => line.split("\t").map((cell) => cell.trim()));
}

/** @param {string[][]} block @returns {[rows: number, columns: number]} */
export function sizeOf(block) {
  return [block.length, Math.max(...block.map((line) => line.length))];
}

/**
 * Write a block into cells, from one of them on. Returns the size of the part that fits.
 *
 * @type {(cells: string[][], block: string[][], row: number, column: number) =>
 *   [rows: number, columns: number]}
 */
export function pasteBlock(cells, block, row, column) {
  block.forEach((line, i) =>
    line.forEach((text, j) => {
      if (column + j < (cells[row + i]?.length ?? 0)) cells[row + i][column + j] = text;
    }),
  );
  const [rows, columns] = sizeOf(block);
  return [Math.min(rows, cells.length - row), Math.min(columns, cells[row].length - column)];
}
