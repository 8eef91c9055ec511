import assert from "node:assert/strict";
import { test } from "node:test";

import { madeOf, origin } from "../../pages/components/steps/follow.js";
import { say } from "../../pages/components/steps/spell.js";

const line = (kind, ...items) => ({ kind, items });
const product = line("product", "Q", "×", "K_T", "=", "raw_scores");
const softmax = line("softmax", "masked_scores", "→", "weights");

test("a product's cell is made of one row and one column", () => {
  assert.deepEqual(madeOf({}, product, "Q", 2, 5), [2, null]);
  assert.deepEqual(madeOf({}, product, "K_T", 2, 5), [null, 5]);
  assert.deepEqual(madeOf({}, product, "raw_scores", 2, 5), [2, 5]);
});

test("a weight is made of its row of scores, or by mistake of its column", () => {
  assert.deepEqual(madeOf({}, softmax, "masked_scores", 2, 5), [2, null]);
  const down = line("softmax_columns", "source", "→", "wrong_weights");
  assert.deepEqual(madeOf({}, down, "source", 2, 5), [null, 5]);
  assert.deepEqual(madeOf({}, softmax, "row_sums", 2, 5), [2, 0]);
});

test("a key's cell is found where K was worked out, rows and columns changed", () => {
  const projected = line("product", "X", "×", "W_K", "=", "K");
  const data = { cards: [{ lines: [projected] }, { lines: [product, softmax] }] };
  assert.deepEqual(origin(data, "K_T", 1, 4, 0), [projected, 4, 1]);
  assert.deepEqual(origin(data, "raw_scores", 1, 4, 0), [product, 1, 4]);
  assert.deepEqual(origin(data, "row_sums", 1, 0, 3), [softmax, 1, 3]);
});

test("numbers are written with the minus of mathematics, and zero without one", () => {
  assert.equal(say(-1.5, 2), "−1.50");
  assert.equal(say(-0.001, 2), "0.00");
  assert.equal(say("-inf", 2), "−∞");
  assert.equal(say(12345678.9, 2), "1.23e+7");
  assert.equal(say(-12345678.9, 2), "−1.23e+7");
});

test("a scaled score is made of the raw one, and of the bias where there is one", () => {
  const divide = line("divide", "raw_scores", "÷ 1 +", "bias", "=", "scaled_scores");
  assert.deepEqual(madeOf({}, divide, "bias", 2, 5), [2, 5]);
  assert.deepEqual(madeOf({}, divide, "raw_scores", 2, 5), [2, 5]);
});
