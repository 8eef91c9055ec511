// How far a learner has come, kept in this browser alone: it outlives a reload and a restart of the
// server, and no link carries it to anybody else.

const KEY = "headlight.lessons";

/**
 * @typedef {object} Progress
 * @property {string} [at] the place where the learner was last
 * @property {Record<string, Record<string, string>>} done by lesson, by step, what was answered
 * @property {boolean} [folded] whether the strip shows its bar alone
 */

/** @returns {Progress} nothing where storing is forbidden, or something else is stored */
export function progress() {
  try {
    const kept = JSON.parse(localStorage.getItem(KEY));
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
    // A browser that keeps nothing: the progress lasts as long as the page.
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
    // Nothing was kept.
  }
}
