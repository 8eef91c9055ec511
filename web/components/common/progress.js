// Progress of a learner, in the browser's local storage. It survives a reload and a restart of the
// server, and no link contains it.

import { readStorage, writeStorage } from "./storage.js";

const KEY = "headlight.lessons";

/**
 * An answer that ended its question: with the verdict, and whether the right answer was shown before.
 *
 * @typedef {{ answer: string, text: string, seen: boolean }} Answered
 */

/**
 * The last place in the course, the answers by lesson and step, and whether only the bar of the
 * lesson is visible.
 *
 * @typedef {{ at?: string, done: Record<string, Record<string, Answered>>, folded?: boolean }} Progress
 */

/** @returns {Progress} empty if storage is forbidden or its content is invalid */
export function progress() {
  const kept = readStorage(KEY);
  return { ...kept, done: { ...kept?.done } };
}

/** @param {Partial<Progress>} change */
export function keepProgress(change) {
  writeStorage(KEY, { ...progress(), ...change });
}

/** What was seen stays so. @type {(lesson: string, step: number, answered: Answered) => void} */
export function keepAnswered(lesson, step, answered) {
  const { done } = progress();
  const before = done[lesson]?.[step];
  if (before && answered.seen) return; // a later mistake takes no answer back
  const seen = before?.seen ?? answered.seen;
  keepProgress({ done: { ...done, [lesson]: { ...done[lesson], [step]: { ...answered, seen } } } });
}

export function forgetProgress() {
  writeStorage(KEY, null);
}
