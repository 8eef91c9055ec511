import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

import { blockOf, pasteBlock } from "../../web/components/grids/block.js";
import { deleteAnswers, readAnswers, storeAnswers } from "../../web/components/grids/storage.js";

test("a pasted block is cut at the edges, and the size that fits is returned", () => {
  const cells = [
    ["a", "b"],
    ["c", "d"],
  ];
  assert.deepEqual(pasteBlock(cells, blockOf(" 1\t2\r\n3\t4\r\n5\t6\r\n"), 1, 1), [1, 1]);
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

test("answers are stored by set and by exercise", () => {
  storeAnswers("1.1.weights", "0", { weights: [["1"]] });
  storeAnswers("1.1.weights", "0", { weights: [["2"]] });
  storeAnswers("1.1.weights", "3", { weights: [["3"]] });
  storeAnswers("2.1.weights", "0", { weights: [["4"]] });
  assert.deepEqual(readAnswers("1.1.weights"), {
    0: { weights: [["2"]] },
    3: { weights: [["3"]] },
  });
  deleteAnswers("1.1.weights");
  assert.deepEqual(readAnswers("1.1.weights"), {});
  assert.deepEqual(Object.keys(readAnswers("2.1.weights")), ["0"]);
});

test("forbidden or corrupt storage reads as empty", () => {
  store["headlight.practice.1.1.weights"] = "{";
  assert.deepEqual(readAnswers("1.1.weights"), {});
  globalThis.localStorage = undefined;
  storeAnswers("1.1.weights", "0", {});
  deleteAnswers("1.1.weights");
  assert.deepEqual(readAnswers("1.1.weights"), {});
});
