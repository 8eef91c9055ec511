import assert from "node:assert/strict";
import { test } from "node:test";

import { origin, usedCells } from "../../web/components/steps/dependencies.js";
import { formatNumber } from "../../web/components/steps/spell.js";

const line = (kind, ...items) => ({ kind, items });
const product = line("product", "Q", "×", "K_T", "=", "raw_scores");
const softmax = line("softmax", "masked_scores", "→", "weights");

test("a weight uses its row of scores, or its column in the classic mistake", () => {
  assert.deepEqual(usedCells({}, softmax, "masked_scores", 2, 5), [2, null]);
  const down = line("softmax_columns", "source", "→", "wrong_weights");
  assert.deepEqual(usedCells({}, down, "source", 2, 5), [null, 5]);
  assert.deepEqual(usedCells({}, softmax, "row_sums", 2, 5), [2, 0]);
});

test("the origin of a cell of K transposed is the transposed cell of K", () => {
  const projected = line("product", "X", "×", "W_K", "=", "K");
  const data = { cards: [{ lines: [projected] }, { lines: [product, softmax] }] };
  assert.deepEqual(origin(data, "K_T", 1, 4, 0), [projected, 4, 1]);
  assert.deepEqual(origin(data, "raw_scores", 1, 4, 0), [product, 1, 4]);
  assert.deepEqual(origin(data, "row_sums", 1, 0, 3), [softmax, 1, 3]);
});

test("numbers have a typographic minus, and zero has no sign", () => {
  assert.equal(formatNumber(-1.5, 2), "−1.50");
  assert.equal(formatNumber(-0.001, 2), "0.00");
  assert.equal(formatNumber("-inf", 2), "−∞");
  assert.equal(formatNumber(12345678.9, 2), "1.23e+7");
  assert.equal(formatNumber(-12345678.9, 2), "−1.23e+7");
});

test("a scaled score uses its raw score and its bias", () => {
  const divide = line("divide", "raw_scores", "÷ 1 +", "bias", "=", "scaled_scores");
  assert.deepEqual(usedCells({}, divide, "bias", 2, 5), [2, 5]);
  assert.deepEqual(usedCells({}, divide, "raw_scores", 2, 5), [2, 5]);
});
