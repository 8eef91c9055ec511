// A student's own sentence: the words that can be selected, and the numbers of the class as dots.

import { answerName, numberName, sameAnswer, valueName } from "./answers.js";
import { button, element, message } from "./dom.js";

export const MAX_SENTENCE = 200; // characters

const N_PLACES = 40; // of the axis: dots at the same place are stacked
const ROLES = ["query", "key"];

/**
 * A sentence of a student, the words that the student selected, and what the model gives for them.
 *
 * @typedef {object} OwnSentence
 * @property {string} text
 * @property {[number, number] | null} query start and end, in code points as Python counts them
 * @property {[number, number] | null} key
 * @property {number} [weight]
 * @property {boolean} [linked] whether no other word gets more of the query's attention
 * @property {number} [value] of a measure, for which no words are selected
 */

/**
 * @param {string} text
 * @returns {{ word: string, span: [number, number] }[]} its words; also of a language without spaces
 */
export function wordsOf(text) {
  const segments = [...new Intl.Segmenter(undefined, { granularity: "word" }).segment(text)];
  let start = 0;
  return segments.flatMap(({ segment, isWordLike }) => {
    const span = /** @type {[number, number]} */ ([start, start + [...segment].length]);
    start = span[1];
    return isWordLike ? [{ word: segment, span }] : [];
  });
}

/**
 * @param {{ measure?: string }} items of a question
 * @returns {{ measure: string, unit: string }} in words
 */
export function measureNames({ measure }) {
  return { measure: message(`measure_${measure}`), unit: message(`unit_${measure}`) };
}

/**
 * @param {{ measure?: string }} items
 * @param {OwnSentence | undefined} selected
 * @param {(answer: OwnSentence) => void} choose called with each change
 * @returns {HTMLElement} a text box, and unless a measure is asked the words in it
 */
export function sentenceInput({ measure }, selected, choose) {
  let sentence = selected ?? { text: "", query: null, key: null };
  const words = element("div.pick.row", { role: "group", ariaLabel: message("select_words") });
  const box = element("input", { maxLength: MAX_SENTENCE, autocomplete: "off" });
  box.value = sentence.text;
  const change = (/** @type {Partial<OwnSentence>} */ changed) => {
    sentence = { ...sentence, ...changed };
    if ("text" in changed) build();
    mark();
    choose(sentence);
  };
  const select = (/** @type {[number, number]} */ span) => {
    const { query, key } = sentence;
    if (same(query, span)) change({ query: null });
    else if (same(key, span)) change({ key: null });
    else change(query ? { key: span } : { query: span });
  };
  const mark = () => {
    for (const [i, { span }] of wordsOf(sentence.text).entries()) {
      const each = words.children[i];
      const role = ROLES.find((name) => same(/** @type {any} */ (sentence)[name], span));
      each.setAttribute("aria-pressed", String(role !== undefined));
      each.classList.toggle("asks", role === "query");
      each.ariaDescription = role ? message(role) : null;
    }
  };
  const build = () => {
    const buttons = wordsOf(sentence.text).map(({ word, span }) =>
      button(word, () => select(span)),
    );
    words.replaceChildren(...buttons);
  };
  box.oninput = () => change({ text: box.value, query: null, key: null });
  build();
  mark();
  return element(
    "div.own-sentence",
    element("label", element("span", message("your_sentence")), box),
    !measure && [element("p", message("select_words")), words],
  );
}

/**
 * @param {OwnSentence} sentence
 * @returns {HTMLElement} the sentence, with its two words marked if they are selected
 */
export function markedSentence({ text, query, key }) {
  const characters = [...text];
  const marks = [
    { span: query, name: "asks" },
    { span: key, name: "found" },
  ].flatMap(({ span, name }) => (span ? [{ start: span[0], end: span[1], name }] : []));
  marks.sort((one, other) => one.start - other.start);
  let at = 0;
  const parts = marks.flatMap(({ start, end, name }) => {
    const before = characters.slice(at, start).join("");
    at = end;
    return [before, element(`b.${name}`, characters.slice(start, end).join(""))];
  });
  return element("span.marked", parts, characters.slice(at).join(""));
}

/**
 * @param {QuestionContent} question
 * @param {Tally} tally pairs of a weight and whether the words are linked, or of a value of a measure
 *   and null, with their counts
 * @param {ClassText[]} texts the sentences that this browser may read
 * @param {OwnSentence} [own]
 * @returns {HTMLElement} a dot for each sentence over an axis from 0; after the reveal of a measure,
 *   a line for the sentence of the view
 */
export function sentenceFigure(question, tally, texts, own) {
  const { items, truth } = question;
  const reference = truth?.reference;
  const values = tally.map(([[value]]) => value);
  const end = axisEnd(reference ? [...values, reference.value] : values);
  const unread = texts.map(({ answer }) => answer);
  const read = element("p.sentence", { role: "status" });
  const stacks = Array(N_PLACES + 1).fill(0);
  const beads = tally.flatMap(([[value, linked], count]) =>
    Array.from({ length: count }, () => {
      const is = (/** @type {OwnSentence} */ each) =>
        sameAnswer([each.value ?? each.weight, each.linked ?? null], [value, linked]);
      const found = unread.findIndex(is);
      const [answer] = found < 0 ? [] : unread.splice(found, 1);
      const level = stacks[Math.round((value / end) * N_PLACES)]++;
      const style = { "--at": value / end, "--level": level };
      const name = `bead${linked === false ? "" : ".full"}${own && is(own) ? ".own" : ""}`;
      if (!answer) return element(`span.${name}`, style);
      const label = answerName(question, answer);
      const show = () => read.replaceChildren(markedSentence(answer), ` ${valueName(answer)}`);
      return element(`button.${name}`, style, { type: "button", ariaLabel: label, onclick: show });
    }),
  );
  const all = beads.length;
  const linked = tally.reduce((sum, [[, each], count]) => sum + (each ? count : 0), 0);
  const legend = items.measure
    ? message("legend_measure", measureNames(items))
    : message("legend_sentence", { linked, all });
  const line = reference && {
    text: message("legend_reference", { text: reference.text, value: valueName(reference) }),
    mark: element("span.reference", { "--at": reference.value / end }),
  };
  const size = { "--levels": Math.max(3, ...stacks) };
  return element(
    "div.figure",
    element("p.legend", legend),
    element("div.beads", size, line?.mark, beads),
    element(
      "div.ends",
      [0, end / 2, end].map((each) => element("span", numberName(each))),
    ),
    line && element("p.legend", line.text),
    read,
  );
}

/**
 * @param {number[]} values of a figure, 0 or more
 * @returns {number} the end of its axis: 1, or the first of 2, 5, 10, 20, … that all values reach
 */
export function axisEnd(values) {
  const most = Math.max(1, ...values);
  const power = 10 ** Math.floor(Math.log10(most));
  return power * ([1, 2, 5].find((step) => most <= step * power) ?? 10);
}

/** @param {[number, number] | null} one @param {[number, number]} other */
function same(one, other) {
  return one?.[0] === other[0] && one[1] === other[1];
}
