import assert from "node:assert/strict";
import { test } from "node:test";

import "./document.js";
import { alternatives, shortProbability } from "../../web/components/generation/generation.js";

const top = (...probabilities) =>
  probabilities.map((probability, i) => ({ token: `t${i}`, shown: "", probability, printed: "" }));

test("alternatives are the three most probable tokens without the chosen one", () => {
  const names = (...given) => alternatives(...given).map(({ token }) => token);
  assert.deepEqual(names(top(0.5, 0.2, 0.1, 0.05, 0.04), "t1"), ["t0", "t2", "t3"]);
  assert.deepEqual(names(top(0.9, 0.02, 0.001), "t0"), ["t1"]);
  assert.deepEqual(names(top(0.99, 0.002, 0.001), "t0"), ["t1"]); // at least one
});

test("a small probability is not printed as zero", () => {
  assert.deepEqual([0.5, 1, 0.005, 0.0049].map(shortProbability), [".50", "1.00", ".01", "<.01"]);
});
