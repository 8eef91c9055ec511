// Answers in the browser's local storage, one key for each set of exercises. They survive a reload
// and a restart of the server, and no link contains them.

const KEY = "headlight.answers.";

/** @typedef {{ filled?: GridCells, handed?: GridCells }} Stored the answers of an exercise */

/**
 * @param {string} set
 * @returns {Record<string, Stored>} by exercise; empty if storage is forbidden
 */
export function readAnswers(set) {
  try {
    return JSON.parse(localStorage.getItem(KEY + set) ?? "{}") ?? {};
  } catch {
    return {};
  }
}

/**
 * @param {string} set
 * @param {string} item the exercise
 * @param {"filled" | "handed"} part the current cells, or the cells that were last handed in
 * @param {GridCells} cells
 */
export function storeAnswers(set, item, part, cells) {
  const items = readAnswers(set);
  items[item] = { ...items[item], [part]: cells };
  try {
    localStorage.setItem(KEY + set, JSON.stringify(items));
  } catch {
    // Without storage, the answers last as long as the page.
  }
}

/** @param {string} set */
export function deleteAnswers(set) {
  try {
    localStorage.removeItem(KEY + set);
  } catch {
    // Nothing was stored.
  }
}
