// What came of a room: every question with what the class said, and what is true.

import { askRooms, inWords } from "../classroom/asking.js";
import { make, say } from "../classroom/bits.js";
import { results } from "../classroom/results.js";
import { scene } from "../classroom/scene.js";
import { save } from "../common/saving.js";

/**
 * @param {HTMLElement} place
 * @param {string} code
 * @param {string} token
 * @param {Record<string, string>} words
 */
export async function summaryOf(place, code, token, words) {
  const answer = await askRooms(`/${code}/summary`, { token, method: "GET" });
  if (answer.status !== 200) {
    place.replaceChildren(make("p", { role: "alert" }, inWords(answer, words)));
    return;
  }
  const { students, questions } = answer.said;
  place.replaceChildren(
    make("h2", {}, words.summary),
    make("p", {}, say(words.summary_words, { students, questions: questions.length })),
    ...questions.map((question, i) => one(question, i, words)),
  );
}

/**
 * @param {any} question
 * @param {number} i
 * @param {Record<string, string>} words
 */
function one(question, i, words) {
  const { kind, items, truth, rounds } = question;
  const several = rounds.length > 1;
  const votes = rounds.flatMap((tally, round) => [
    ...(several ? [make("h4", {}, say(words.vote, { count: round + 1 }))] : []),
    results({ kind, items, tally, truth, words }),
  ]);
  return make(
    "article",
    {},
    make("h3", {}, `${i + 1}. ${question.prompt}`),
    ...scene(question, words),
    ...votes,
  );
}

/**
 * @param {string} code
 * @param {string} token
 * @param {Record<string, string>} words
 * @param {(wrong: string) => void} says
 */
export async function saveResults(code, token, words, says) {
  const answer = await askRooms(`/${code}/results.csv`, { token, method: "GET" });
  if (answer.status === 200) save(`headlight_${code}.csv`, "text/csv", answer.said.text);
  else says(inWords(answer, words));
}
