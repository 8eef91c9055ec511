// The results of a room: every question with the answers of each round, and the file of its data.

import { callApi, errorMessage } from "../classroom/api.js";
import { element, message } from "../classroom/dom.js";
import { questionContext, resultsFigure, roundName } from "../classroom/results.js";
import { save } from "../common/saving.js";

/** @param {string} code @param {string} token @returns {Promise<HTMLElement[]>} */
export async function summary(code, token) {
  const response = await callApi(`/${code}/summary`, { token, method: "GET" });
  const error = errorMessage(response);
  if (error) return [element("p", { role: "alert" }, error)];
  const { students, questions } = response.body;
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

/**
 * @param {string} code
 * @param {string} token
 * @returns {Promise<string>} the error in words, or ""
 */
export async function saveResults(code, token) {
  const response = await callApi(`/${code}/results.csv`, { token, method: "GET" });
  const error = errorMessage(response);
  if (!error) save(`headlight_${code}.csv`, "text/csv", response.body.text);
  return error;
}
