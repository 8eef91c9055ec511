import assert from "node:assert/strict";
import { test } from "node:test";

import "./document.js";
import { passedOver, rounded } from "../../pages/components/generation/ribbon.js";
import { cellAt, place } from "../../pages/components/generation/strip.js";

const top = (...probabilities) =>
  probabilities.map((probability, i) => ({ token: `t${i}`, shown: "", probability, printed: "" }));

test("what was passed over is the likeliest, three at most, without the token itself", () => {
  const names = (...given) => passedOver(...given).map(({ token }) => token);
  assert.deepEqual(names(top(0.5, 0.2, 0.1, 0.05, 0.04), "t1"), ["t0", "t2", "t3"]);
  assert.deepEqual(names(top(0.9, 0.02, 0.001), "t0"), ["t1"]);
  assert.deepEqual(names(top(0.99, 0.002, 0.001), "t0"), ["t1"]); // one in any case
});

test("a probability is never printed as none", () => {
  assert.deepEqual([0.5, 1, 0.005, 0.0049].map(rounded), [".50", "1.00", ".01", "<.01"]);
});

test("every cell of the layers is found where it is drawn, and nothing beside them", () => {
  const strip = place(30, 40, 700);
  const [layer, key] = [17, 31];
  const x = 38 + (key + 0.5) * strip.column;
  const y = 6 + (layer + 0.5) * strip.row;
  assert.deepEqual(cellAt(strip, x, y), { layer, key });
  assert.equal(cellAt(strip, 20, y), undefined);
  assert.equal(cellAt(strip, x, strip.kept), undefined);
});

test("a long text has narrow columns that fit, and a short one no wide ones", () => {
  const long = place(30, 400, 700);
  assert.ok(38 + long.column * 400 <= 700);
  assert.ok(long.height < place(30, 20, 700).height); // no names below
  assert.ok(place(2, 5, 1400).column < 40);
});
