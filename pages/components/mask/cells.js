// Which cells of a square grid a hand passes, and where a key leads.

/** @typedef {{ row: number, column: number }} Cell */

/**
 * @param {Cell} from
 * @param {Cell} to
 * @returns {Cell[]} the cells on the way, both ends among them: a quick hand skips some
 */
export function between(from, to) {
  const [down, across] = [to.row - from.row, to.column - from.column];
  const steps = Math.max(Math.abs(down), Math.abs(across), 1);
  return Array.from({ length: steps + 1 }, (_, step) => ({
    row: from.row + Math.round((down * step) / steps),
    column: from.column + Math.round((across * step) / steps),
  }));
}

/**
 * @param {string} key
 * @param {Cell} at
 * @param {number} count rows, and columns
 * @returns {Cell | null} where the key leads; nowhere, if null
 */
export function stepTo(key, { row, column }, count) {
  const moved = {
    ArrowUp: [row - 1, column],
    ArrowDown: [row + 1, column],
    ArrowLeft: [row, column - 1],
    ArrowRight: [row, column + 1],
    Home: [row, 0],
    End: [row, count - 1],
  }[key];
  if (!moved) return null;
  const [down, across] = moved.map((place) => Math.min(Math.max(place, 0), count - 1));
  return { row: down, column: across };
}
