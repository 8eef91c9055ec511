// Movement in a square grid: the cells that a drag passes, and the target of a key.

/** @typedef {{ row: number, column: number }} Cell */

/** With the cells that a fast drag skips. @param {Cell} from @param {Cell} to @returns {Cell[]} */
export function between(from, to) {
  const [down, across] = [to.row - from.row, to.column - from.column];
  const steps = Math.max(Math.abs(down), Math.abs(across));
  return Array.from({ length: steps + 1 }, (_, step) => ({
    row: from.row + Math.round((down * step) / (steps || 1)),
    column: from.column + Math.round((across * step) / (steps || 1)),
  }));
}

/** @type {(key: string, at: Cell, count: number) => Cell | null} null: not a key that moves */
export function stepTo(key, { row, column }, count) {
  /** @type {Record<string, number[]>} */
  const targets = {
    ArrowUp: [row - 1, column],
    ArrowDown: [row + 1, column],
    ArrowLeft: [row, column - 1],
    ArrowRight: [row, column + 1],
    Home: [row, 0],
    End: [row, count - 1],
  };
  const target = targets[key];
  if (!target) return null;
  const [down, across] = target.map((place) => Math.min(Math.max(place, 0), count - 1));
  return { row: down, column: across };
}
