// What the class said, and beside it, once it is revealed, what the model does.

import { headName, make, say } from "./bits.js";
import { at, headGrid, layerNames } from "./choices.js";

const MOST_NUMBERS = 15;

/**
 * @typedef {object} Told
 * @property {RoomQuestion["kind"]} kind
 * @property {any} items
 * @property {Tally} tally
 * @property {any} [truth]
 * @property {any} [own] the answer given here
 * @property {Record<string, string>} words
 */

/**
 * @param {Told} told
 * @returns {HTMLElement}
 */
export function results(told) {
  const draw = { token: tokenHeat, head: headDots }[told.kind] ?? bars;
  const figure = draw(told);
  figure.classList.add("results");
  const legend = legendOf(told);
  return make("div", { className: "told" }, figure, ...(legend ? [legend] : []));
}

/** @param {Tally} tally */
function countsOf(tally) {
  const counts = new Map(tally.map(([answer, count]) => [JSON.stringify(answer), count]));
  return (answer) => counts.get(JSON.stringify(answer)) ?? 0;
}

/**
 * @param {string} kind
 * @param {any} items
 * @param {any} answer
 * @returns {string}
 */
export function answerName(kind, items, answer) {
  if (kind === "number") return numberName(answer);
  if (kind === "head") return headName(answer[0], answer[1]);
  return (kind === "layer" ? layerNames(items.layers) : (items.tokens ?? items.options))[answer];
}

/** @param {Tally} tally */
function largestOf(tally) {
  return Math.max(1, ...tally.map(([, count]) => count));
}

/**
 * @param {any} truth
 * @param {any} answer
 * @returns {boolean}
 */
export function isRight(truth, answer) {
  if (truth?.value !== undefined) return Math.abs(answer - truth.value) <= truth.tolerance;
  return truth?.right?.some((each) => JSON.stringify(each) === JSON.stringify(answer)) ?? false;
}

/** @param {any} one @param {any} other */
function same(one, other) {
  return one !== undefined && one !== null && JSON.stringify(one) === JSON.stringify(other);
}

/**
 * Each token with how many chose it, and below it what the model's head gives it.
 *
 * @param {Told} told
 */
function tokenHeat({ items, tally, truth, own, words }) {
  const [count, most] = [countsOf(tally), largestOf(tally)];
  const top = Math.max(...(truth?.weights ?? [1]));
  const cells = items.tokens.map((token, i) => {
    const cell = make(
      "div",
      { className: "token" },
      make("span", { className: "label" }, token),
      shade(make("span", { className: "class" }, String(count(i) || "·")), count(i) / most),
    );
    if (i === items.query) cell.classList.add("asks");
    if (truth) {
      const weight = truth.weights[i];
      cell.append(shade(make("span", { className: "model" }, weight.toFixed(3)), weight / top));
    }
    marked(cell, isRight(truth, i), same(own, i), words);
    return cell;
  });
  return sided(make("div", { className: "tokens" }, ...cells), items);
}

/**
 * A dot for each head, as large as many chose it; behind it, the model's weight.
 *
 * @param {Told} told
 */
function headDots({ items, tally, truth, own, words }) {
  const grid = headGrid(items.layers, items.heads);
  const [count, most] = [countsOf(tally), largestOf(tally)];
  const top = Math.max(...(truth?.weights.flat() ?? [1]));
  for (let layer = 0; layer < items.layers; layer++) {
    for (let head = 0; head < items.heads; head++) {
      const place = [layer, head];
      const given = count(place);
      const cell = at(make("div", { className: "cell" }), layer, head);
      const weight = truth?.weights[layer][head];
      const said = say(words.chosen_by, { what: headName(layer, head), count: given });
      cell.title = truth ? `${said} · ${weight.toFixed(3)}` : said;
      if (truth) shade(cell, weight / top);
      if (given) {
        const dot = make("span", { className: "dot" }, String(given));
        dot.style.setProperty("--size", String(0.45 + 0.5 * Math.sqrt(given / most)));
        cell.append(dot);
      }
      marked(cell, isRight(truth, place), same(own, place), words);
      grid.append(cell);
    }
  }
  return sided(grid, items);
}

/**
 * Layers, options or numbers, each with a bar of the class's and, where it has one, of the model's.
 *
 * @param {Told} told
 */
function bars({ kind, items, tally, truth, own, words }) {
  const [count, most] = [countsOf(tally), largestOf(tally)];
  const top = Math.max(...(truth?.weights ?? [1]));
  const rows = rowsOf(kind, items, tally, truth).map(([name, answer]) => {
    const right = isRight(truth, answer);
    const row = make("div", { className: "bar" }, make("span", { className: "label" }, name));
    const pair = make(
      "span",
      { className: "pair" },
      long("class", count(answer) / most, String(count(answer))),
    );
    if (truth?.weights) {
      const weight = truth.weights[answer];
      pair.append(long("model", weight / top, weight.toFixed(3)));
    }
    row.append(pair);
    marked(row, right, same(own, answer), words);
    return row;
  });
  return sided(make("div", { className: "bars" }, ...rows), items);
}

/**
 * @param {string} kind
 * @param {any} items
 * @param {Tally} tally
 * @param {any} truth
 * @returns {[string, any][]} names and answers
 */
function rowsOf(kind, items, tally, truth) {
  if (kind === "layer") return layerNames(items.layers).map((name, i) => [name, i]);
  if (kind === "choice") return items.options.map((option, i) => [option, i]);
  const common = [...tally].sort((one, other) => other[1] - one[1]).slice(0, MOST_NUMBERS);
  const values = common.map(([value]) => value);
  if (truth && !values.some((value) => Math.abs(value - truth.value) <= truth.tolerance)) {
    values.push(truth.value);
  }
  return values.sort((one, other) => one - other).map((value) => [numberName(value), value]);
}

/** @param {number} value */
export function numberName(value) {
  return String(Number(value.toPrecision(6)));
}

/**
 * @param {string} whose
 * @param {number} share
 * @param {string} said
 */
function long(whose, share, said) {
  const bar = make("span", { className: `long ${whose}` }, make("b", {}, said));
  bar.style.setProperty("--share", String(share));
  return bar;
}

/**
 * @param {HTMLElement} element
 * @param {number} share
 */
function shade(element, share) {
  element.style.setProperty("--share", String(Number.isFinite(share) ? share : 0));
  return element;
}

/**
 * @param {HTMLElement} element
 * @param {boolean} right
 * @param {boolean} own
 * @param {Record<string, string>} words
 */
function marked(element, right, own, words) {
  element.classList.toggle("right", right);
  element.classList.toggle("own", own);
  if (right)
    element.append(
      make("span", { className: "mark", role: "img", "aria-label": words.right }, "✓"),
    );
}

/**
 * @param {HTMLElement} element
 * @param {any} items
 */
function sided(element, items) {
  if (items.side) element.classList.add(`of-${items.side}`);
  return element;
}

/** @param {Told} told */
function legendOf({ kind, tally, truth, words, items }) {
  const said = [];
  const others = kind === "number" ? Math.max(0, tally.length - MOST_NUMBERS) : 0;
  if (others) said.push(say(words.others, { count: others }));
  if (truth?.weights) {
    const top = Math.max(...truth.weights.flat());
    const legend = {
      token: words.legend_token,
      head: words.legend_head,
      layer: words.legend_layer,
    }[kind];
    said.push(say(legend, { model: items.model, top: top.toFixed(3) }));
  }
  if (truth?.value !== undefined) {
    said.push(
      say(words.legend_number, {
        value: numberName(truth.value),
        near: String(Number(truth.tolerance.toPrecision(3))),
      }),
    );
  }
  if (kind === "choice" && truth && !truth.right.length) said.push(words.legend_opinion);
  return said.length ? make("p", { className: "legend" }, said.join(" ")) : null;
}
