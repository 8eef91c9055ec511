// The answers of a class and, after the reveal, the numbers of the model.

import { headGrid } from "./answer_inputs.js";
import { answerOptions, isRight, numberName, percentName, sameAnswer } from "./answers.js";
import { headName } from "../common/selection.js";
import { sentences } from "../common/sentences.js";
import { build, message } from "./dom.js";

const MAX_NAMED = 4;

/** One answer in the figure. @typedef {ReturnType<typeof resultRows>[number]} Row */

/**
 * @param {QuestionContent} question
 * @param {Tally} tally
 * @param {any} [own] the answer of this browser
 * @param {boolean} [earlier] whether it stands below a newer vote
 * @returns {HTMLElement}
 */
function resultsFigure(question, tally, own, earlier = false) {
  const { kind, items } = question;
  const draw = kind === "token" ? tokenCells : kind === "head" ? headCells : bars;
  const rows = resultRows(question, tally, own);
  // The newer vote has every token, and the model's numbers.
  const short = rows.filter(({ count, right }) => kind !== "token" || count > 0 || right);
  const votes = short.map((row) => ({ ...row, weight: undefined }));
  const figure = draw(earlier ? votes : rows, items);
  figure.classList.add("results", `of-${kind}`, `of-${items.side}`);
  const legend = legendOf(question, tally, earlier);
  return build("div.figure", figure, legend && build("p.legend", legend));
}

/** @param {QuestionContent} question @param {Tally} tally @param {any} [own] */
function resultRows(question, tally, own) {
  const { kind, truth } = question;
  const counts = new Map(tally.map(([answer, count]) => [JSON.stringify(answer), count]));
  const most = Math.max(1, ...counts.values());
  const all = Math.max(1, sum([...counts.values()]));
  /** @type {number[] | undefined} */
  const weights = truth?.weights?.flat();
  const top = Math.max(...(weights ?? [1])) || 1;
  const options = kind === "number" ? numberOptions(tally, truth) : answerOptions(question);
  return options.map(({ label, answer }, i) => {
    const count = counts.get(JSON.stringify(answer)) ?? 0;
    const right = isRight(truth, answer);
    const mine = sameAnswer(own ?? undefined, answer);
    return {
      label,
      asks: question.kind === "token" && i === question.items.query,
      count,
      percent: percentName(count / all),
      share: count / most,
      right,
      weight: weights?.[i].toFixed(3),
      weightShare: (weights?.[i] ?? 0) / top,
      marks: (right ? ".right" : "") + (mine ? ".own" : ""),
      tick: right && build("span.mark", { role: "img", ariaLabel: message("right") }, "✓"),
    };
  });
}

/**
 * @param {Tally} tally
 * @param {any} truth
 * @returns {{ label: string, answer: any }[]} the numbers and the true one, in ascending order
 */
function numberOptions(tally, truth) {
  /** @type {number[]} */
  const values = tally.map(([value]) => value);
  if (truth && !values.some((value) => isRight(truth, value))) values.push(truth.value);
  values.sort((one, other) => one - other);
  return values.map((value) => ({ label: numberName(value), answer: value }));
}

/** @param {QuestionContent} question after the reveal @returns {string} "" for an opinion */
export function verdict(question) {
  const { kind, truth } = question;
  if (kind === "number") return message("right_is", { answers: numberName(truth.value) });
  if (!truth.right.length) return "";
  const names = resultRows(question, [])
    .filter(({ right }) => right)
    .map(({ label, weight }) => (weight ? `${label} (${weight})` : label));
  const shown = names.length > MAX_NAMED ? [...names.slice(0, MAX_NAMED), "…"] : names;
  return message("right_is", { answers: shown.join(message("comma")) });
}

/**
 * @param {RoomQuestion} question with its tallies
 * @param {(round: number) => any} [ownIn] the answer of this browser in a round
 * @returns {HTMLElement[]} the results of every round, the newest first
 */
export function votesFigures(question, ownIn) {
  const { tally = [], earlier = [] } = question;
  const figures = [...earlier, tally].map((each, i) => {
    const name = earlier.length > 0 && build("h3", message("vote", { count: i + 1 }));
    const figure = resultsFigure(question, each, ownIn?.(i + 1), i < earlier.length);
    return build("section", name, figure);
  });
  return figures.reverse();
}

/** @param {number[]} numbers */
function sum(numbers) {
  return numbers.reduce((total, each) => total + each, 0);
}

/** @param {Row[]} rows */
function tokenCells(rows) {
  const cells = rows.map(
    ({ label, asks, count, percent, share, weight, weightShare, marks, tick }) =>
      build(
        `div.token${marks}`,
        build(`span.label${asks ? ".asks" : ""}`, label),
        build("span.class", { "--share": share, title: percent }, String(count || "·")),
        weight && build("span.model", { "--share": weightShare }, weight),
        tick,
      ),
  );
  const longest = Math.max(...rows.map(({ label }) => label.length));
  return build("div.tokens", { "--longest": longest }, cells);
}

/** @param {Row[]} rows @param {any} items */
function headCells(rows, items) {
  const cells = rows.map(({ label, count, share, weight, weightShare, marks, tick }) => {
    const title = [`${label}: ${count}`, weight].filter(Boolean).join(" · ");
    const size = { "--size": 0.6 + 0.35 * Math.sqrt(share) };
    const dot = count > 0 && build("span.dot", size, String(count));
    return build(`div.cell${marks}`, { title, "--share": weightShare }, dot, tick);
  });
  return headGrid(items, cells);
}

/** @param {Row[]} rows */
function bars(rows) {
  const lines = rows.map(({ label, count, percent, share, marks, tick }) =>
    build(
      `div.bar${marks}`,
      build("span.label", label),
      build("span.long", { "--share": share }, build("b", `${count} · ${percent}`)),
      tick,
    ),
  );
  return build("div.bars", lines);
}

/** @param {QuestionContent} question @param {Tally} tally @param {boolean} earlier @returns {string} */
function legendOf({ items, truth }, tally, earlier) {
  const parts = [];
  if (truth?.weights && !earlier) {
    const top = Math.max(...truth.weights.flat()).toFixed(3);
    parts.push(message(`legend_${items.side}`, { model: items.model, top }));
    if (truth.right.length > 1) parts.push(message("near_ties"));
  }
  if (truth?.value !== undefined) {
    const right = sum(tally.map(([value, count]) => (isRight(truth, value) ? count : 0)));
    const all = sum(tally.map(([, count]) => count));
    if (all) parts.push(message("share_right", { right, all, percent: percentName(right / all) }));
  }
  return sentences(parts);
}

/**
 * @param {QuestionContent} question
 * @returns {HTMLElement[]} the model, head and tokens of the question, in words
 */
export function questionContext({ kind, items }) {
  const { model, tokens } = items;
  if (!tokens) return [];
  const head = kind === "head" ? [] : [headName(items.layer, items.head)];
  const link = [items.query, items.key].map((unit) => tokens[unit]).filter(Boolean);
  const scene = sentences([
    `${[model, ...head, link.join(" → ")].join(" · ")}.`,
    kind === "number" && message("near", { near: items.tolerance }),
    // The rows that the page shows: other rows would have another right answer.
    items.words && message("shown_words"),
    items.special !== "show" && message(`shown_${items.special}`),
  ]);
  const line = build("p.scene", scene);
  // The tokens of a token question are its options.
  return kind === "token" ? [line] : [line, build("p.sentence", tokens.join(" "))];
}
