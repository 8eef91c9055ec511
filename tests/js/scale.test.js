import assert from "node:assert/strict";
import { test } from "node:test";

import { clamp, four, opacity, two } from "../../web/components/common/scale.js";

const WHOLE_RANGE = { sqrt: false, low: 0, high: 40000 };

test("the opacity is the weight, its root, or its place in a range", () => {
  const at = (scale, ...weights) => weights.map((weight) => opacity(weight, scale));
  assert.deepEqual(at(WHOLE_RANGE, 0, 10000, 40000), [0, 0.25, 1]);
  assert.deepEqual(at({ ...WHOLE_RANGE, sqrt: true }, 0, 400, 10000, 40000), [0, 0.1, 0.5, 1]);
  assert.deepEqual(at({ ...WHOLE_RANGE, low: 2500, high: 5000 }, 3750, 2000, 9999), [0.5, 0, 1]);
  assert.deepEqual(at({ ...WHOLE_RANGE, low: 5000, high: 5000 }, 5000, 5001), [0, 1]); // empty
});

test("numbers are written with two or four decimals, and kept inside a range", () => {
  assert.deepEqual([599, 601, 27157, 40000].map(two), ["0.01", "0.02", "0.68", "1.00"]);
  assert.deepEqual([5000, 15000].map(two), ["0.12", "0.38"]); // ties, to the even digit
  assert.deepEqual([1, 3, 1250, 27157].map(four), ["0.0000", "0.0001", "0.0312", "0.6789"]);
  assert.deepEqual(
    [-1, 0, 3, 5, 6].map((value) => clamp(value, 0, 5)),
    [0, 0, 3, 5, 5],
  );
});
