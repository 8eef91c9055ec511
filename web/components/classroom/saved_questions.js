// The teacher's saved questions: a list in this browser, which is exported as a file.

import { readStorage, writeStorage } from "../common/storage.js";
import { membershipOf, updateMembership } from "./membership.js";

const KEY = "headlight.questions";
const MAX_QUESTIONS = 200;
const MAX_TEXT = 8_000;
const FORMAT = "headlight-questions";
const KINDS = ["token", "head", "number", "choice", "next"];

/** @returns {SavedQuestion[]} */
export function savedQuestions() {
  return (readStorage(KEY) ?? []).filter(isQuestion);
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

/**
 * @param {string} text of a file
 * @returns {SavedQuestion[] | null} without those of an unknown kind; null for none
 */
export function parseFile(text) {
  try {
    const { [FORMAT]: version, questions } = JSON.parse(text);
    if (version !== 1 || !Array.isArray(questions) || questions.length > MAX_QUESTIONS) return null;
    const valid = questions.filter(isQuestion);
    return valid.length ? valid : null;
  } catch {
    return null;
  }
}

/** @param {any} value */
function isQuestion(value) {
  const texts = [value?.kind, value?.prompt, value?.view];
  return (
    texts.every((text) => typeof text === "string" && text.length <= MAX_TEXT) &&
    KINDS.includes(value.kind) &&
    /^\/(?!\/)/.test(value.view)
  );
}
