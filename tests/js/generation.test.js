import assert from "node:assert/strict";
import { test } from "node:test";

import "./document.js";
import { alternatives, shortProbability } from "../../web/components/generation/ribbon.js";
import { cellAt, stripLayout } from "../../web/components/generation/strip.js";

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

test("a point inside a drawn cell finds the cell, and a point outside finds none", () => {
  const strip = stripLayout(30, 40, 700);
  const [layer, key] = [17, 31];
  const x = 38 + (key + 0.5) * strip.column;
  const y = 6 + (layer + 0.5) * strip.row;
  assert.deepEqual(cellAt(strip, x, y), { layer, key });
  assert.equal(cellAt(strip, 20, y), undefined);
  assert.equal(cellAt(strip, x, strip.cacheTop), undefined);
});

test("columns shrink to fit a long text and do not grow for a short one", () => {
  const long = stripLayout(30, 400, 700);
  assert.ok(38 + long.column * 400 <= 700);
  assert.ok(long.height < stripLayout(30, 20, 700).height); // without token names
  assert.ok(stripLayout(2, 5, 1400).column < 40);
});
