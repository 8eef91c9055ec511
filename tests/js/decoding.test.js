import assert from "node:assert/strict";
import { test } from "node:test";

import "./document.js";
import { alignment } from "../../web/components/decoding/alignment.js";

const SOURCE = ["the", "blue", "flower"];
const TARGET = ["<s>", "la", "fleur", "bleue", "</s>"];
// One row for each generated token.
const CROSS = [
  [36000, 1600, 2400],
  [201, 3799, 36000],
  [400, 39600, 0],
  [12000, 12000, 16000],
];

const given = (step) => ({
  source: SOURCE,
  target: TARGET,
  step,
  cross: (query, key) => CROSS[query][key],
  hue: "red",
  width: 600,
});
const texts = (shapes) => shapes.filter(({ name }) => name === "text");
const printed = (shapes) => texts(shapes).map(({ textContent }) => textContent);
const lines = (shapes) => shapes.filter(({ name }) => name === "line");

test("a step shows the tokens so far and the weights of its own row", () => {
  const { shapes } = alignment(given(1));
  const words = printed(shapes);
  assert.ok(words.includes("fleur") && !words.includes("bleue"));
  assert.deepEqual(
    words.filter((word) => /^\d/.test(word)),
    ["0.01", "0.09", "0.90"],
  );
  assert.deepEqual(
    lines(shapes).map((line) => line.dataset.weight),
    ["3799", "36000"],
  );
});

test("the lines of all steps end at their source tokens", () => {
  const { shapes } = alignment(given(4));
  const strong = lines(shapes).filter((line) => Number(line.dataset.weight) > 20000);
  const [la, fleur, bleue] = strong.map(({ attributes }) => Number(attributes.y2));
  assert.ok(la < bleue && bleue < fleur); // "bleue" is written last and attends to the middle
});
