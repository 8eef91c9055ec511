// The results of a room: every question with the answers of each round.

import { element, message } from "../classroom/dom.js";
import { questionContext, resultsFigure, roundName } from "../classroom/results.js";

/** @param {any} results of the room @returns {HTMLElement[]} */
export function summary({ students, questions }) {
  return [
    element("h2", message("summary")),
    element("p", message("summary_words", { students, questions: questions.length })),
    ...questions.map(questionSummary),
  ];
}

/** @param {QuestionContent & { prompt: string, rounds: Tally[] }} question @param {number} i */
function questionSummary(question, i) {
  const { prompt, rounds } = question;
  return element(
    "article",
    element("h3", `${i + 1}. ${prompt}`),
    questionContext(question),
    rounds.map((tally, round) => [
      rounds.length > 1 && element("h4", roundName(round + 1)),
      resultsFigure(question, tally),
    ]),
  );
}
