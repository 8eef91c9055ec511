import assert from "node:assert/strict";
import { test } from "node:test";

import "./document.js";
import { Alignment, layout } from "../../web/components/decoding/alignment.js";

globalThis.document.createElement = () => ({
  getContext: () => ({ measureText: (text) => ({ width: 8 * text.length }) }),
});

const SOURCE = ["the", "blue", "flower"];
const TARGET = ["<s>", "la", "fleur", "bleue", "</s>"];
// One row for each generated token.
const CROSS = [
  [9000, 400, 600],
  [50, 950, 9000],
  [100, 9900, 0],
  [3000, 3000, 4000],
];
const SELF = [[10000], [4000, 6000], [1000, 2000, 7000], [2500, 2500, 2500, 2500]];

const given = (step) => ({
  source: SOURCE,
  target: TARGET,
  step,
  cross: (query, key) => CROSS[query][key],
  self: (query, key) => SELF[query][key],
  hue: "red",
});
const sizes = (tokens) => tokens.map((token) => 8 * token.length);
const wide = layout(sizes(SOURCE), sizes(TARGET), 600);
const texts = (shapes) => shapes.filter(({ name }) => name === "text");
const printed = (shapes) => texts(shapes).map(({ textContent }) => textContent);
const lines = (shapes) => shapes.filter(({ name }) => name === "line");

test("source and target are rows in token order, or columns if they do not fit", () => {
  assert.equal(wide.upright, false);
  for (const row of [wide.source, wide.target]) {
    const xs = row.map(({ x }) => x);
    assert.ok(xs[0] > 0 && xs.at(-1) < 600 && xs.every((x, i) => !i || x > xs[i - 1]));
  }
  const narrow = layout(sizes(SOURCE), sizes(TARGET), 200);
  assert.equal(narrow.upright, true);
  assert.ok(narrow.height > narrow.target.at(-1).y);
  assert.ok(narrow.source[0].x < narrow.target[0].x);
});

test("a step shows the tokens so far and the weights of its own row", () => {
  const shapes = new Alignment(wide, given(1)).shapes();
  const words = printed(shapes);
  assert.ok(words.includes("fleur") && !words.includes("bleue"));
  // Cross-attention to all three source tokens, then self-attention to both target tokens so far.
  assert.deepEqual(
    words.filter((word) => /^\d/.test(word)),
    ["0.005", "0.095", "0.90", "0.40", "0.60"],
  );
  assert.deepEqual(
    lines(shapes).map((line) => line.dataset.weight),
    ["950", "9000"],
  );
});

test("the lines of all steps end at their source tokens", () => {
  const shapes = new Alignment(wide, given(4)).shapes();
  const strong = lines(shapes).filter((line) => Number(line.dataset.weight) > 5000);
  const [la, fleur, bleue] = strong.map(({ attributes }) => Number(attributes.x2));
  assert.ok(la < bleue && bleue < fleur); // "bleue" is written last and attends to the middle
});
