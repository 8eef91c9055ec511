// The answers of a class and, after the reveal, the numbers of the model.

import { cellTable, headGrid } from "./answer_inputs.js";
import {
  answerOptions,
  cellShares,
  cellsOf,
  distanceOf,
  headName,
  isRight,
  numberName,
  option,
  percentName,
  range,
  sameAnswer,
  wrongParts,
} from "./answers.js";
import { element, message } from "./dom.js";
import { measureNames, sentenceFigure } from "./own_sentence.js";

const MAX_NUMBERS = 10; // different answers with a bar each; more are a histogram
const N_COLUMNS = 15;

/**
 * One answer in the figure; `marks` are the classes of the right and of the own answer.
 *
 * @typedef {object} Row
 * @property {string} label
 * @property {number} count of the class
 * @property {string} percent of the class, such as "17 %"
 * @property {number} share of the largest count
 * @property {string} [weight] of the model
 * @property {number} weightShare of the largest weight
 * @property {string} marks
 * @property {HTMLElement | false} tick
 */

/**
 * @param {QuestionContent} question
 * @param {Tally} tally
 * @param {any} [own] the answer of this browser
 * @returns {HTMLElement}
 */
export function resultsFigure(question, tally, own) {
  const { kind, items } = question;
  if (kind === "sketch") return sketchFigure(question, tally, own);
  if (kind === "mask" || kind === "alignment") return cellsFigure(question, tally, own);
  if (kind === "sentence") return sentenceFigure(question, tally, question.texts ?? [], own);
  const draw = { token: tokenCells, head: headCells }[/** @type {string} */ (kind)] ?? bars;
  const figure =
    kind === "number" && tally.length > MAX_NUMBERS
      ? histogram(tally, question.truth)
      : draw(resultRows(question, tally, own), items);
  figure.classList.add("results");
  if (items.side) figure.classList.add(`of-${items.side}`);
  const legend = legendOf(question, tally);
  return element("div.figure", figure, legend && element("p.legend", legend));
}

/**
 * @param {QuestionContent} question
 * @param {Tally} tally the mean of the class and the number of sketches
 * @param {number[]} [own]
 * @returns {HTMLElement} three bars for each token: the class, the model, and this browser's sketch
 */
function sketchFigure({ items, truth }, tally, own) {
  const [mean, count] = tally[0] ?? [null, 0];
  /** @type {[className: string, row: number[] | null | undefined][]} */
  const rows = [
    ["class", mean],
    ["model", truth?.weights],
    ["mine", own],
  ];
  const legend = own ? "legend_sketch_own" : "legend_sketch";
  const sentences = [message(legend, { model: items.model, count })];
  if (truth && mean) {
    const distance = distanceOf(mean, truth.weights).toFixed(2);
    sentences.push(message("distance_class", { distance }));
  }
  if (truth && own)
    sentences.push(
      message("distance_own", { distance: distanceOf(own, truth.weights).toFixed(2) }),
    );
  return element("div.figure", element("p.legend", sentences.join(" ")), sketchBars(items, rows));
}

/**
 * @param {any} items
 * @param {[className: string, row: number[] | null | undefined][]} rows
 * @param {number} [most] the share with the longest bar; by default the largest one
 * @returns {HTMLElement} the bars of each token
 */
function sketchBars(items, rows, most = Math.max(...rows.flatMap(([, row]) => row ?? [])) || 1) {
  const lines = items.tokens.map((/** @type {string} */ token, /** @type {number} */ i) =>
    element(
      "div.bar",
      element(`span.label${i === items.query ? ".asks" : ""}`, token),
      element(
        "span.pair",
        rows.map(
          ([name, row]) =>
            row &&
            element(
              `span.long.${name}`,
              { "--share": row[i] / most },
              row[i] >= 0.005 && element("b", percentName(row[i])),
            ),
        ),
      ),
    ),
  );
  return element(`div.bars.sketches.results.of-${items.side}`, lines);
}

/**
 * @param {QuestionContent} question of the kind "mask" or "alignment"
 * @param {Tally} tally
 * @param {any} [own]
 * @returns {HTMLElement} the share of the class for each cell; the mask, or the model's weights
 */
function cellsFigure(question, tally, own) {
  const { kind, items, truth } = question;
  const { shares, count } = cellShares(question, tally);
  const tables = [];
  const sentences = [];
  if (shares) {
    const cells = shares.map((row) =>
      row.map((share) => ({ share, text: share >= 0.005 ? String(Math.round(100 * share)) : "" })),
    );
    tables.push(cellGrid(question, "class", message("cells_class", { count }), cells));
  }
  if (truth) {
    const right = cellsOf(question, truth.right[0]);
    const mine = own && cellsOf(question, own);
    /** @type {number[][] | undefined} */
    const weights = truth.weights;
    const cells = right.map((row, i) =>
      row.map((cell, j) => ({
        share: weights ? weights[i][j] : cell,
        text: weights ? weights[i][j].toFixed(2) : cell ? "✓" : "",
        marks: (weights && cell ? ".right" : "") + (mine?.[i][j] ? ".own" : ""),
      })),
    );
    tables.push(cellGrid(question, "model", message(`cells_${kind}`, items), cells));
  }
  if (truth && own) {
    const { wrong, all } = wrongParts(truth.right[0], own);
    sentences.push(message(`distance_${kind}`, { wrong, right: all - wrong, all }));
    sentences.push(message("legend_own"));
  }
  return element(
    "div.figure",
    element("p.legend", sentences.join(" ")),
    element("div.grids.results.of-left", tables),
  );
}

/**
 * @param {QuestionContent} question of the kind "mask" or "alignment"
 * @param {"class" | "model"} of whose numbers
 * @param {string} caption
 * @param {{ share: number, text: string, marks?: string }[][]} cells
 * @returns {HTMLElement}
 */
function cellGrid({ items }, of, caption, cells) {
  const drawn = cells.map((row) =>
    row.map(({ share, text, marks = "" }) =>
      element(`div.cell.${of}${marks}`, { "--share": share }, text),
    ),
  );
  const table = cellTable(items.targets ?? items.tokens, items.tokens, drawn);
  table.prepend(element("caption", caption));
  return table;
}

/**
 * @param {QuestionContent} question of one of the kinds that a student sketches
 * @param {any} answer
 * @returns {HTMLElement} the sketch without the truth
 */
export function sketchPicture(question, answer) {
  // Sketches are compared side by side, so all have the same scale.
  if (question.kind === "sketch") return sketchBars(question.items, [["class", answer]], 1);
  const cells = cellsOf(question, answer).map((row) =>
    row.map((share) => ({ share, text: share ? "✓" : "" })),
  );
  return cellGrid(question, "class", "", cells);
}

/** @param {QuestionContent} question @param {Tally} tally @param {any} own @returns {Row[]} */
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
    const mine = own !== undefined && own !== null && sameAnswer(own, answer);
    return {
      label,
      count,
      percent: percentName(count / all),
      share: count / most,
      weight: weights?.[i].toFixed(3),
      weightShare: (weights?.[i] ?? 0) / top,
      marks: (right ? ".right" : "") + (mine ? ".own" : ""),
      tick: right && element("span.mark", { role: "img", ariaLabel: message("right") }, "✓"),
    };
  });
}

/**
 * @param {Tally} tally
 * @param {any} truth
 * @returns {AnswerOption[]} the numbers and the true one, in ascending order
 */
function numberOptions(tally, truth) {
  /** @type {number[]} */
  const values = tally.map(([value]) => value);
  if (truth && !values.some((value) => isRight(truth, value))) values.push(truth.value);
  return values.sort((one, other) => one - other).map((value) => option(numberName(value), value));
}

/**
 * @param {Tally} tally of a number question with many different answers
 * @param {any} truth
 * @returns {HTMLElement} columns over ranges of equal width; the true number is a line
 */
function histogram(tally, truth) {
  const { columns, low, high } = histogramOf(tally, truth?.value);
  const most = Math.max(...columns);
  const bars = columns.map((count) =>
    element("span.column", { "--share": count / most }, count > 0 && String(count)),
  );
  const at = truth && (truth.value - low) / (high - low);
  const line = truth && element("span.true", { "--at": at }, numberName(truth.value));
  return element(
    "div.histogram",
    element("div.columns", bars, line),
    element("div.ends", element("span", numberName(low)), element("span", numberName(high))),
  );
}

/**
 * @param {Tally} tally
 * @param {number} [value] the true number
 * @returns {{ columns: number[], low: number, high: number }} counts between the ends. The columns
 *   at the ends hold the tenth of the answers that is furthest off, too.
 */
export function histogramOf(tally, value) {
  const answers = tally.flatMap(([answer, count]) => Array(count).fill(answer));
  answers.sort((one, other) => one - other);
  const cut = Math.floor(answers.length / 20);
  const ends = [
    answers[cut],
    answers[answers.length - 1 - cut],
    ...(value === undefined ? [] : [value]),
  ];
  const low = Math.min(...ends);
  const high = Math.max(...ends, low + Number.EPSILON * Math.max(1, Math.abs(low)));
  const columns = Array(N_COLUMNS).fill(0);
  for (const answer of answers) {
    const place = Math.floor(((answer - low) / (high - low)) * N_COLUMNS);
    columns[Math.min(Math.max(place, 0), N_COLUMNS - 1)]++;
  }
  return { columns, low, high };
}

/** @param {number} round */
export function roundName(round) {
  return message("vote", { count: round });
}

/**
 * @param {RoomQuestion} question with its tallies
 * @param {(round: number) => any} [ownIn] the answer of this browser in a round
 * @returns {HTMLElement[]} the results of every round, the newest first, and what changed in between
 */
export function votesFigures(question, ownIn) {
  const { tally, earlier = [], texts = [], changes, moves, confidence } = question;
  const rounds = tally ? [...earlier, tally] : earlier;
  const figures = rounds.map((each, i) =>
    element(
      "section",
      (earlier.length > 0 || !tally) && element("h3", roundName(i + 1)),
      resultsFigure(
        // Only the newest round has texts.
        { ...question, texts: i < earlier.length ? [] : texts.filter(({ shown }) => shown) },
        each,
        ownIn?.(i + 1),
      ),
    ),
  );
  return [
    ...(changes ? [changesTable(question)] : []),
    ...(moves ? [movesTable(moves)] : []),
    ...figures.reverse(),
    ...(confidence ? [confidenceTable(confidence)] : []),
  ];
}

/** @param {number[]} numbers */
function sum(numbers) {
  return numbers.reduce((total, each) => total + each, 0);
}

/** @param {Row[]} rows @param {any} items */
function tokenCells(rows, items) {
  const cells = rows.map(({ label, count, percent, share, weight, weightShare, marks, tick }, i) =>
    element(
      `div.token${marks}${i === items.query ? ".asks" : ""}`,
      element("span.label", label),
      element("span.class", { "--share": share, title: percent }, String(count || "·")),
      weight && element("span.model", { "--share": weightShare }, weight),
      tick,
    ),
  );
  return element("div.tokens", cells);
}

/** @param {Row[]} rows @param {any} items */
function headCells(rows, items) {
  const cells = rows.map(({ label, count, share, weight, weightShare, marks, tick }) => {
    const chosen = message("chosen_by", { what: label, count });
    const size = 0.45 + 0.5 * Math.sqrt(share);
    return element(
      `div.cell${marks}`,
      { title: weight ? `${chosen} · ${weight}` : chosen, "--share": weightShare },
      count > 0 && element("span.dot", { "--size": size }, String(count)),
      tick,
    );
  });
  return headGrid(items, cells);
}

/** @param {Row[]} rows */
function bars(rows) {
  const lines = rows.map(({ label, count, percent, share, weight, weightShare, marks, tick }) =>
    element(
      `div.bar${marks}`,
      element("span.label", label),
      element(
        "span.pair",
        element("span.long.class", { "--share": share }, element("b", `${count} · ${percent}`)),
        weight && element("span.long.model", { "--share": weightShare }, element("b", weight)),
      ),
      tick,
    ),
  );
  return element("div.bars", lines);
}

/** @param {QuestionContent} question @param {Tally} tally @returns {string} */
function legendOf({ kind, items, truth }, tally) {
  const parts = [];
  if (truth?.weights) {
    const top = Math.max(...truth.weights.flat()).toFixed(3);
    parts.push(message(`legend_${kind}`, { model: items.model, top }));
  }
  if (truth?.value !== undefined) {
    const near = Number(truth.tolerance.toPrecision(3));
    parts.push(message("legend_number", { value: numberName(truth.value), near }));
    const right = sum(tally.filter(([value]) => isRight(truth, value)).map(([, count]) => count));
    const all = sum(tally.map(([, count]) => count));
    if (all) parts.push(message("share_right", { right, all, percent: percentName(right / all) }));
  }
  if (kind === "choice" && truth && !truth.right.length) parts.push(message("legend_opinion"));
  return parts.join(" ");
}

/**
 * @param {number[][]} moves students by the last two rounds, (right, wrong) x (right, wrong)
 * @returns {HTMLElement} who changed their answer
 */
function movesTable([[stayed, lost], [gained, neither]]) {
  const cell = (/** @type {string} */ name, /** @type {number} */ count) =>
    element("tr", element("th", { scope: "row" }, message(name)), element("td", String(count)));
  return element(
    "table.moves",
    element("caption", message("moves")),
    element(
      "tbody",
      cell("moves_stayed", stayed),
      cell("moves_gained", gained),
      cell("moves_lost", lost),
      cell("moves_neither", neither),
    ),
  );
}

/**
 * @param {RoomQuestion} question with the changes between the last two rounds
 * @returns {{ options: AnswerOption[], counts: number[][] }} the answers of both rounds in order;
 *   students by the first answer x the second answer
 */
export function changeCounts(question) {
  const changes = question.changes ?? [];
  const counts = new Map(changes.map(([pair, count]) => [JSON.stringify(pair), count]));
  const isGiven = (/** @type {AnswerOption} */ { answer }) =>
    changes.some(([pair]) => pair.some((each) => sameAnswer(each, answer)));
  const options = answerOptions(question).filter(isGiven);
  const count = (/** @type {AnswerOption} */ before, /** @type {AnswerOption} */ after) =>
    counts.get(JSON.stringify([before.answer, after.answer])) ?? 0;
  return {
    options,
    counts: options.map((before) => options.map((after) => count(before, after))),
  };
}

/**
 * @param {RoomQuestion} question with the changes between the last two rounds
 * @returns {HTMLElement} who changed the answer, from which one to which one
 */
function changesTable(question) {
  const { options, counts } = changeCounts(question);
  const name = (
    /** @type {"row" | "col"} */ scope,
    /** @type {AnswerOption} */ { label, answer },
  ) =>
    element(
      "th",
      { scope },
      label,
      isRight(question.truth, answer) &&
        element("b", { role: "img", ariaLabel: message("right") }, " ✓"),
    );
  const rows = counts.map((row, i) =>
    element(
      "tr",
      name("row", options[i]),
      row.map((count) => element("td", String(count || "·"))),
    ),
  );
  return element(
    "div.scroll",
    { tabIndex: 0, role: "region", ariaLabel: message("changes") },
    element(
      "table.moves.changes",
      element("caption", message("changes")),
      element(
        "thead",
        element(
          "tr",
          element("td"),
          options.map((each) => name("col", each)),
        ),
      ),
      element("tbody", rows),
    ),
  );
}

/**
 * @param {number[][]} confidence students by how sure they are; rows are right and wrong, or one row
 *   for an opinion
 */
function confidenceTable(confidence) {
  const heads = range(confidence[0].length).map((i) =>
    element("th", { scope: "col" }, message(`confidence_${i}`)),
  );
  const names = confidence.length > 1 ? ["right", "wrong"] : [];
  const rows = confidence.map((counts, row) =>
    element(
      "tr",
      names[row] ? element("th", { scope: "row" }, message(names[row])) : element("td"),
      counts.map((count) => element("td", String(count))),
    ),
  );
  return element(
    "table.moves",
    element("caption", message("confidence_title")),
    element("thead", element("tr", element("td"), heads)),
    element("tbody", rows),
  );
}

/**
 * @param {QuestionContent} question
 * @returns {HTMLElement[]} the model, head, tokens or exercise of the question, in words
 */
export function questionContext({ kind, items }) {
  const { model, tokens, query, key } = items;
  // The rows that the page shows: other rows would have another right answer.
  const rows = [
    items.words && message("shown_words"),
    items.special && items.special !== "show" && message(`shown_${items.special}`),
  ];
  const scene = (/** @type {string} */ text) =>
    element("p.scene", [text, ...rows].filter(Boolean).join(" "));
  if (kind === "sentence") {
    const head = items.head === undefined ? `L${items.layer}` : headName(items.layer, items.head);
    const name = `scene_${items.measure ? "measure" : "sentence"}`;
    const of = items.head === undefined ? `${name}_mean` : name;
    return [scene(message(of, { model, head, ...measureNames(items) }))];
  }
  if (kind === "token" || kind === "sketch") {
    const token = tokens[query];
    if (items.head === undefined)
      return [scene(message("scene_mean", { model, layer: `L${items.layer}`, token }))];
    return [
      scene(message("scene_token", { model, head: headName(items.layer, items.head), token })),
    ];
  }
  if (kind === "mask") return [scene(message("scene_mask"))];
  if (kind === "alignment") {
    const head = items.head === undefined ? `L${items.layer}` : headName(items.layer, items.head);
    const name = items.head === undefined ? "scene_alignment_mean" : "scene_alignment";
    return [scene(message(name, { model, head })), element("p.sentence", items.text)];
  }
  if (!tokens && items.text)
    return [element("p.scene", String(model)), element("p.sentence", items.text)];
  if (kind === "head" || kind === "layer") {
    const pair = { model, query: tokens[query], key: tokens[key] };
    return [scene(message(`scene_${kind}`, pair)), element("p.sentence", tokens.join(" "))];
  }
  return kind === "number" && items.given ? exerciseContext(items) : [];
}

/** @param {any} items */
function exerciseContext({ asked, row, column, mask, temperature, decimals, given }) {
  const root = `√${given.Q[0].length}`;
  const divisor = temperature === 1 ? root : `(${root} × ${temperature})`;
  const sentences = [
    message(`task_${asked}`, { divisor, row, column }),
    message(`mask_${mask}`),
    message("decimals", { count: decimals }),
  ];
  const matrices = Object.entries(given).map(([name, rows]) =>
    element("table", element("caption", name), element("tbody", rows.map(matrixRow))),
  );
  return [element("p.scene", sentences.filter(Boolean).join(" ")), element("div.grids", matrices)];
}

/** @param {number[]} cells */
function matrixRow(cells) {
  return element(
    "tr",
    cells.map((cell) => element("td", String(cell))),
  );
}
