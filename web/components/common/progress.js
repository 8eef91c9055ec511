// Progress of a learner, in the browser's local storage. It survives a reload and a restart of the
// server, and no link contains it.

const KEY = "headlight.lessons";

/**
 * @typedef {object} Progress
 * @property {string} [at] the last place in the course
 * @property {Record<string, Record<string, string>>} done the right answers by lesson and step
 * @property {boolean} [folded] whether only the bar of the lesson is visible
 */

/** @returns {Progress} empty if storage is forbidden or its content is invalid */
export function progress() {
  try {
    const kept = JSON.parse(localStorage.getItem(KEY) ?? "null");
    return { ...kept, done: { ...kept?.done } };
  } catch {
    return { done: {} };
  }
}

/** @param {Partial<Progress>} change */
export function keepProgress(change) {
  try {
    localStorage.setItem(KEY, JSON.stringify({ ...progress(), ...change }));
  } catch {
    // Without storage, the progress is lost with the page.
  }
}

/**
 * @param {string} lesson
 * @param {number} step
 * @param {string} answer the right one
 */
export function keepAnswered(lesson, step, answer) {
  const { done } = progress();
  keepProgress({ done: { ...done, [lesson]: { ...done[lesson], [step]: answer } } });
}

export function forgetProgress() {
  try {
    localStorage.removeItem(KEY);
  } catch {
    // Nothing was stored.
  }
}
