// What was filled in is kept in this browser, each set of exercises under a key of its own: it
// outlives a reload and a restart of the server, and no link carries it to anybody else.

const KEY = "headlight.answers.";

/**
 * @param {string} set
 * @returns {Record<string, Record<string, object>>} by exercise; nothing where storing is forbidden
 */
export function keptAnswers(set) {
  try {
    return JSON.parse(localStorage.getItem(KEY + set)) ?? {};
  } catch {
    return {};
  }
}

/**
 * @param {string} set
 * @param {string} item the exercise
 * @param {"filled" | "handed"} part what stands in its cells, or stood there when it was handed in
 * @param {object} cells by grid
 */
export function keepAnswers(set, item, part, cells) {
  const items = keptAnswers(set);
  items[item] = { ...items[item], [part]: cells };
  try {
    localStorage.setItem(KEY + set, JSON.stringify(items));
  } catch {
    // A browser that keeps nothing: the answers last as long as the page.
  }
}

/** @param {string} set */
export function forgetAnswers(set) {
  try {
    localStorage.removeItem(KEY + set);
  } catch {
    // Nothing was kept.
  }
}
