import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

import { deleteAnswers, readAnswers, storeAnswers } from "../../web/components/grids/storage.js";

let store;

beforeEach(() => {
  store = {};
  globalThis.localStorage = {
    getItem: (key) => store[key] ?? null,
    setItem: (key, text) => (store[key] = text),
    removeItem: (key) => delete store[key],
  };
});

test("forbidden or corrupt storage reads as empty", () => {
  store["headlight.practice.1.1.weights"] = "{";
  assert.deepEqual(readAnswers("1.1.weights"), {});
  globalThis.localStorage = undefined;
  storeAnswers("1.1.weights", "0", {});
  deleteAnswers("1.1.weights");
  assert.deepEqual(readAnswers("1.1.weights"), {});
});
