// The teacher's saved questions: a list in this browser, which is exported as a file.

import { readStorage, writeStorage } from "../common/storage.js";
import { membershipOf, updateMembership } from "./membership.js";

const KEY = "headlight.questions";
const MAX_QUESTIONS = 200;
const FORMAT = "headlight-questions";

/** @returns {SavedQuestion[]} */
export function savedQuestions() {
  return readStorage(KEY) ?? [];
}

/** @param {SavedQuestion[]} questions */
export function saveQuestions(questions) {
  writeStorage(KEY, questions.slice(0, MAX_QUESTIONS));
  window.dispatchEvent(new Event("headlight-questions"));
}

/**
 * @param {SavedQuestion[]} questions
 * @returns {number} how many were added: a question that the list has is not added again
 */
export function addQuestions(questions) {
  const saved = savedQuestions();
  const known = new Set(saved.map((each) => JSON.stringify(each)));
  const added = questions.filter((each) => !known.has(JSON.stringify(each)));
  saveQuestions([...saved, ...added]);
  return added.length;
}

/** @param {string} code of the room @param {SavedQuestion} question that the room was asked */
export function markAsked(code, question) {
  const asked = membershipOf(code)?.asked ?? [];
  updateMembership(code, { asked: [...new Set([...asked, JSON.stringify(question)])] });
  window.dispatchEvent(new Event("headlight-questions"));
}

/** @param {string} code of the room @param {SavedQuestion} question */
export function isAsked(code, question) {
  return membershipOf(code)?.asked?.includes(JSON.stringify(question)) ?? false;
}

/** @param {SavedQuestion[]} questions */
export function toFile(questions) {
  return JSON.stringify({ [FORMAT]: 1, questions }, null, 2);
}

/** @param {string} text of a file @returns {SavedQuestion[] | null} null for another file */
export function parseFile(text) {
  try {
    const { [FORMAT]: version, questions } = JSON.parse(text);
    const isValid = version === 1 && questions.length && questions.length <= MAX_QUESTIONS;
    return isValid && questions.every(isQuestion) ? questions : null;
  } catch {
    return null;
  }
}

/** @param {any} value @returns {boolean} whether the list can show it; the server checks the rest */
function isQuestion(value) {
  const texts = [value?.kind, value?.prompt, value?.view];
  return texts.every((text) => typeof text === "string") && /^\/(?!\/)/.test(value.view);
}
