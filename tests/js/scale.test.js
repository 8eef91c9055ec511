import assert from "node:assert/strict";
import { test } from "node:test";

import { clamp, four, opacity, scaleOf, two } from "../../web/components/common/scale.js";
import { headName, toggled } from "../../web/components/common/selection.js";

test("without other settings the opacity equals the weight", () => {
  assert.equal(opacity(0, scaleOf()), 0);
  assert.equal(opacity(2500, scaleOf()), 0.25);
  assert.equal(opacity(10000, scaleOf()), 1);
});

test("the square root raises small weights and keeps 0 and 1", () => {
  const scale = scaleOf({ sqrt: true, range: [0, 1] });
  assert.deepEqual(
    [0, 100, 2500, 10000].map((weight) => opacity(weight, scale)),
    [0, 0.1, 0.5, 1],
  );
});

test("a range uses the whole scale, and weights outside it are clamped", () => {
  const scale = scaleOf({ sqrt: false, range: [0.25, 0.5] });
  assert.equal(opacity(3750, scale), 0.5);
  assert.equal(opacity(2000, scale), 0);
  assert.equal(opacity(9999, scale), 1);
});

test("in an empty range only larger weights have a colour", () => {
  const scale = scaleOf({ sqrt: false, range: [0.5, 0.5] });
  assert.equal(opacity(5000, scale), 0);
  assert.equal(opacity(5001, scale), 1);
});

test("two() rounds to two decimals", () => {
  assert.equal(two(6789), "0.68");
  assert.equal(two(10000), "1.00");
});

test("four() writes the four decimals of the payload", () => {
  assert.equal(four(0), "0.0000");
  assert.equal(four(1), "0.0001");
  assert.equal(four(6789), "0.6789");
  assert.equal(four(10000), "1.0000");
});

test("clamp keeps values inside the range", () => {
  assert.deepEqual(
    [-1, 0, 3, 5, 6].map((value) => clamp(value, 0, 5)),
    [0, 0, 3, 5, 5],
  );
});

test("a click toggles a token, and the picked tokens are sorted", () => {
  assert.deepEqual(toggled([10, 2], 9), [2, 9, 10]);
  assert.deepEqual(toggled(new Set([2, 9, 10]), 9), [2, 10]);
  assert.deepEqual(toggled([], 0), [0]);
});

test("layers and heads are numbered from 0", () => {
  assert.equal(headName(3, 0), "L3·H0");
});
