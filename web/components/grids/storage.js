// Answers in the browser's storage, by set of exercises. They survive a reload and a restart of the
// server, and no link contains them.

const KEY = "headlight.practice.";

/**
 * @param {string} set
 * @returns {Record<string, GridCells>} by exercise; empty if storage is forbidden
 */
export function readAnswers(set) {
  try {
    return JSON.parse(localStorage.getItem(KEY + set) ?? "{}") ?? {};
  } catch {
    return {};
  }
}

/** @param {string} set @param {string} item the exercise @param {GridCells} cells */
export function storeAnswers(set, item, cells) {
  try {
    localStorage.setItem(KEY + set, JSON.stringify({ ...readAnswers(set), [item]: cells }));
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
