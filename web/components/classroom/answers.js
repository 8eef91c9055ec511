// Answers to a question: what can be chosen, how an answer is named, and whether it is right.

import { headName } from "../common/selection.js";

/** @param {QuestionContent} question of any kind but "number" @returns {{ label: string, answer: any }[]} */
export function answerOptions({ kind, items }) {
  if (kind === "head") {
    return range(items.layers).flatMap((layer) =>
      range(items.heads).map((head) => ({ label: headName(layer, head), answer: [layer, head] })),
    );
  }
  /** @type {string[]} */
  const labels = kind === "token" ? items.tokens : items.options;
  return labels.map((label, answer) => ({ label, answer }));
}

/** @param {QuestionContent} question @param {any} answer @returns {string} */
export function answerName(question, answer) {
  if (question.kind === "number") return numberName(answer);
  return answerOptions(question).find((each) => sameAnswer(each.answer, answer))?.label ?? "";
}

/** @param {number} value */
export function numberName(value) {
  return String(Number(value.toPrecision(6)));
}

/** @param {number} share */
export function percentName(share) {
  return `${Math.round(100 * share)} %`;
}

/** @param {any} one @param {any} other */
export function sameAnswer(one, other) {
  return JSON.stringify(one) === JSON.stringify(other);
}

/** @param {any} truth undefined before the reveal @param {any} answer @returns {boolean} */
export function isRight(truth, answer) {
  // In binary, 0.63 - 0.58 is slightly more than 0.05; model/questions.py has the same slack.
  if (truth?.value !== undefined) return Math.abs(answer - truth.value) <= truth.tolerance + 1e-9;
  return truth?.right?.some((/** @type {any} */ each) => sameAnswer(each, answer)) ?? false;
}

/** @param {number} count */
export function range(count) {
  return Array.from({ length: count }, (_each, i) => i);
}
