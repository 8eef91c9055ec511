import assert from "node:assert/strict";
import { test } from "node:test";

import { goal, madeOf, origin } from "../../pages/components/steps/follow.js";
import { say } from "../../pages/components/steps/spell.js";
import { Unheard } from "../../pages/components/steps/unheard.js";

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

test("a message says all that the server has not heard of, and a cell as it shall be", () => {
  const unheard = new Unheard();
  unheard.forget(7); // a page that was left and entered again goes on counting
  unheard.toggled(2, 5, true);
  unheard.looked({ card: "mask", row: 1 });
  unheard.toggled(0, 3, false);
  unheard.toggled(2, 5, true); // again, before an answer: back
  assert.deepEqual(unheard.message(), {
    number: 11,
    look: { card: "mask", row: 1, number: 9 },
    toggles: [
      { query: 0, key: 3, allowed: true, number: 10 },
      { query: 2, key: 5, allowed: true, number: 11 },
    ],
  });
  unheard.forget(10);
  assert.deepEqual(unheard.message(), {
    number: 11,
    look: null,
    toggles: [{ query: 2, key: 5, allowed: true, number: 11 }],
  });
});

test("a whole layer's cell is made of a row and a column and a bias, of its own place, or of a row", () => {
  const matrices = {
    x: { columns: ["0", "1"] },
    w: { columns: ["4", "5", "6"] },
    y: { columns: ["4", "5", "6"] },
    mean: { columns: [""] },
  };
  const data = { matrices, cards: [] };
  const affine = line("affine", "x", "×", "w", "+", "b", "=", "y");
  assert.deepEqual(madeOf(data, affine, "x", 0, 2), [0, null]);
  assert.deepEqual(madeOf(data, affine, "w", 0, 2), [null, 2]);
  assert.deepEqual(madeOf(data, affine, "b", 0, 2), [0, 2]);
  const norm = line("over", "y", "→", "mean", "×", "w", "=", "n");
  assert.deepEqual(madeOf(data, norm, "y", 0, 2), [0, null]);
  assert.deepEqual(madeOf(data, norm, "mean", 0, 2), [0, 0]);
  assert.deepEqual(madeOf(data, norm, "w", 0, 2), [0, 2]);
  assert.deepEqual(madeOf(data, line("each", "y", "+", "w", "=", "r"), "y", 0, 1), [0, 1]);
});

test("a weight that was worked out nowhere leads to the result of its column", () => {
  const matrices = {
    w: { columns: ["4", "5", "6"] },
    y: { columns: ["4", "5", "6"] },
    mean: { columns: [""] },
  };
  const where = line("affine", "x", "×", "w", "+", "b", "=", "y");
  assert.deepEqual(goal({ matrices }, where, "w", 1), [0, 1]);
  assert.equal(goal({ matrices }, where, "mean", 0), null);
});
