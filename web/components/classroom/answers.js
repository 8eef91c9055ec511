// Answers to a question: what can be chosen, how an answer is named, and whether it is right.

import { isAmbiguous, readings } from "../common/typed_numbers.js";
import { message } from "./dom.js";

/**
 * @param {QuestionContent} question of any kind but "number"
 * @returns {AnswerOption[]}
 */
export function answerOptions({ kind, items }) {
  if (kind === "head") {
    return range(items.layers).flatMap((layer) =>
      range(items.heads).map((head) => option(headName(layer, head), [layer, head])),
    );
  }
  if (kind === "layer") return range(items.layers).map((layer) => option(`L${layer}`, layer));
  /** @type {string[]} */
  const labels = kind === "token" ? items.tokens : items.options;
  return labels.map(option);
}

/** @param {string} label @param {any} answer @returns {AnswerOption} */
export function option(label, answer) {
  return { label, answer };
}

/** @param {QuestionContent} question @param {any} answer @returns {string} */
export function answerName(question, answer) {
  if (question.kind === "number") return numberName(answer);
  if (question.kind === "sentence") {
    const value = valueName(answer);
    if (question.items.measure) return [answer.text, value].filter(Boolean).join(" · ");
    const [query, key] = [answer.query, answer.key].map((span) =>
      [...answer.text].slice(...span).join(""),
    );
    return [`${query} → ${key}`, value].filter(Boolean).join(" ");
  }
  if (question.kind === "sketch") {
    const most = answer.indexOf(Math.max(...answer));
    return `${question.items.tokens[most]} ${percentName(answer[most])} …`;
  }
  if (question.kind === "mask") {
    const cells = cellsOf(question, answer).flat();
    const count = cells.reduce((sum, cell) => sum + cell, 0);
    return message("mask_count", { count, all: cells.length });
  }
  if (question.kind === "alignment") {
    const { targets, tokens } = question.items;
    const pairs = targets.map(
      (/** @type {string} */ target, /** @type {number} */ i) => `${target} → ${tokens[answer[i]]}`,
    );
    return pairs.join(", ");
  }
  return answerOptions(question).find((each) => sameAnswer(each.answer, answer))?.label ?? "";
}

/**
 * @param {QuestionContent} question
 * @param {any} answer chosen so far
 * @returns {boolean} whether it can be sent
 */
export function isComplete({ kind, items }, answer) {
  if (answer === undefined) return false;
  if (kind === "alignment") return answer.every((/** @type {number} */ source) => source >= 0);
  if (kind !== "sentence") return true;
  if (items.measure) return answer.text.trim() !== "";
  return answer.query !== null && answer.key !== null;
}

/**
 * @param {{ value?: number, weight?: number }} sentence of a student
 * @returns {string} what the model gives for it; "" before it is sent
 */
export function valueName({ value, weight }) {
  return (value ?? weight)?.toFixed(3) ?? "";
}

/** @param {number} layer @param {number} head */
export function headName(layer, head) {
  return `L${layer}·H${head}`;
}

/** @param {number} value */
export function numberName(value) {
  return String(Number(value.toPrecision(6)));
}

/** @param {number} share */
export function percentName(share) {
  return `${Math.round(100 * share)} %`;
}

/**
 * @param {number[]} one shares that sum to 1
 * @param {number[]} other
 * @returns {number} the total variation distance, from 0 to 1
 */
export function distanceOf(one, other) {
  return one.reduce((sum, share, i) => sum + Math.abs(share - other[i]), 0) / 2;
}

/**
 * @param {QuestionContent} question of the kind "mask" or "alignment"
 * @param {any} answer
 * @returns {number[][]} 1 for each chosen cell, else 0: queries or targets x keys or source tokens
 */
export function cellsOf({ kind, items }, answer) {
  return kind === "mask"
    ? answer.map((/** @type {string} */ row) => [...row].map(Number))
    : answer.map((/** @type {number} */ source) =>
        items.tokens.map((/** @type {string} */ _token, /** @type {number} */ i) =>
          Number(i === source),
        ),
      );
}

/**
 * @param {QuestionContent} question of the kind "mask" or "alignment"
 * @param {Tally} tally
 * @returns {{ shares: number[][] | null, count: number }} the share of students who chose each cell,
 *   and the number of students
 */
export function cellShares({ kind, items }, tally) {
  if (!tally.length) return { shares: null, count: 0 };
  if (kind === "mask") return { shares: tally[0][0], count: tally[0][1] };
  const rows = items.targets.length;
  const count = tally.reduce((sum, [, each]) => sum + each, 0) / rows;
  const shares = range(rows).map(() => items.tokens.map(() => 0));
  for (const [[target, source], each] of tally) shares[target][source] = each / count;
  return { shares, count };
}

/**
 * @param {any[]} right rows of a mask, or the source tokens of an alignment
 * @param {any[]} answer
 * @returns {{ wrong: number, all: number }} cells of the mask, or source tokens
 */
export function wrongParts(right, answer) {
  const parts = (/** @type {any[]} */ list) => list.flatMap((each) => [...String(each)]);
  const isMask = typeof right[0] === "string";
  const [known, given] = isMask ? [parts(right), parts(answer)] : [right, answer];
  return { wrong: known.filter((part, i) => part !== given[i]).length, all: known.length };
}

/** @param {any} one @param {any} other */
export function sameAnswer(one, other) {
  return JSON.stringify(one) === JSON.stringify(other);
}

/**
 * @param {any} truth undefined before the reveal
 * @param {any} answer
 * @returns {boolean}
 */
export function isRight(truth, answer) {
  if (truth?.value !== undefined) return Math.abs(answer - truth.value) <= truth.tolerance;
  return truth?.right?.some((/** @type {any} */ each) => sameAnswer(each, answer)) ?? false;
}

/**
 * @param {string} text a typed number
 * @returns {{ value?: number, problem: string, meant?: number[] }} no value if the text is not a
 *   number or may mean two, which are listed; the problem in words, "" for an empty text
 */
export function parseNumber(text) {
  const meant = readings(text);
  if (isAmbiguous(text)) return { problem: message("number_ambiguous"), meant };
  const value = meant[0];
  return { value, problem: value === undefined && text.trim() ? message("number_bad") : "" };
}

/** @param {number} count */
export function range(count) {
  return Array.from({ length: count }, (_each, i) => i);
}
