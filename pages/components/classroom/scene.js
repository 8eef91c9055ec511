// What a question is about, in words and numbers: a model, a head, a pair of tokens, an exercise.

import { headName, make, say } from "./bits.js";

/**
 * @param {RoomQuestion} question
 * @param {Record<string, string>} words
 * @returns {Node[]}
 */
export function scene({ kind, items }, words) {
  const { model, tokens, query, key } = items;
  if (kind === "token") {
    const head = headName(items.layer, items.head);
    return [line(words.scene_token, { model, head, token: tokens[query] })];
  }
  if (kind === "head" || kind === "layer") {
    const said = kind === "head" ? words.scene_head : words.scene_layer;
    return [
      line(said, { model, query: tokens[query], key: tokens[key] }),
      make("p", { className: "sentence" }, tokens.join(" ")),
    ];
  }
  if (kind === "number" && items.given) return exercise(items, words);
  return [];
}

/**
 * @param {string} template
 * @param {Record<string, string>} values
 */
function line(template, values) {
  return make("p", { className: "scene" }, say(template, values));
}

/**
 * @param {any} items
 * @param {Record<string, string>} words
 */
function exercise(items, words) {
  const { asked, row, column, mask, temperature, given } = items;
  const root = `√${given.Q[0].length}`;
  const divisor = temperature === 1 ? root : `(${root} × ${temperature})`;
  const task = say(words[`task_${asked}`], { divisor, row, column });
  const said = [task, words[`mask_${mask}`] ?? "", say(words.decimals, { count: items.decimals })];
  const grids = Object.entries(given).map(([name, rows]) => grid(name, rows));
  return [
    make("p", { className: "scene" }, said.filter(Boolean).join(" ")),
    make("div", { className: "grids" }, ...grids),
  ];
}

/**
 * @param {string} name
 * @param {number[][]} rows
 */
function grid(name, rows) {
  const body = rows.map((row) =>
    make("tr", {}, ...row.map((cell) => make("td", {}, String(cell)))),
  );
  return make("table", {}, make("caption", {}, name), make("tbody", {}, ...body));
}
