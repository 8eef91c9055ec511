import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

import { blockOf, lay, sizeOf } from "../../pages/components/grids/block.js";
import { forgetAnswers, keepAnswers, keptAnswers } from "../../pages/components/grids/keeping.js";

test("a spreadsheet's block is read line by line, its last line break aside", () => {
  assert.deepEqual(blockOf("1\t 2\r\n\t4\r\n"), [
    ["1", "2"],
    ["", "4"],
  ]);
  assert.deepEqual(sizeOf(blockOf("1\n2\t3\n")), [2, 2]);
});

test("a block is laid from a cell on, and what sticks out is counted", () => {
  const cells = [
    ["a", "b"],
    ["c", "d"],
  ];
  assert.deepEqual(lay(cells, blockOf("1\t2\n3\t4\n5\t6"), 1, 1), [1, 1]);
  assert.deepEqual(cells, [
    ["a", "b"],
    ["c", "1"],
  ]);
});

let store;

beforeEach(() => {
  store = {};
  globalThis.localStorage = {
    getItem: (key) => store[key] ?? null,
    setItem: (key, text) => (store[key] = text),
    removeItem: (key) => delete store[key],
  };
});

test("answers are kept set by set and exercise by exercise", () => {
  keepAnswers("1.1", "0", "filled", { weights: [["1"]] });
  keepAnswers("1.1", "0", "handed", { weights: [["2"]] });
  keepAnswers("1.1", "3", "filled", { context: [["3"]] });
  keepAnswers("2.1", "0", "filled", { weights: [["4"]] });
  assert.deepEqual(keptAnswers("1.1"), {
    0: { filled: { weights: [["1"]] }, handed: { weights: [["2"]] } },
    3: { filled: { context: [["3"]] } },
  });
  forgetAnswers("1.1");
  assert.deepEqual(keptAnswers("1.1"), {});
  assert.deepEqual(Object.keys(keptAnswers("2.1")), ["0"]);
});

test("a browser that forbids storing, or holds something else there, keeps nothing", () => {
  store["headlight.answers.1.1"] = "{";
  assert.deepEqual(keptAnswers("1.1"), {});
  globalThis.localStorage = undefined;
  keepAnswers("1.1", "0", "filled", {});
  forgetAnswers("1.1");
  assert.deepEqual(keptAnswers("1.1"), {});
});
