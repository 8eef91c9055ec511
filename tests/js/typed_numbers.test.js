import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { isAmbiguous, readings } from "../../web/components/common/typed_numbers.js";

/** @type {Record<string, number[]>} */
const VECTORS = JSON.parse(readFileSync(new URL("../typed_numbers.json", import.meta.url), "utf8"));

test("a typed number has the readings of the shared vectors", () => {
  for (const [text, expected] of Object.entries(VECTORS)) {
    const found = readings(text);
    assert.equal(found.length, expected.length, text);
    found.forEach((value, i) => assert.ok(Math.abs(value - expected[i]) < 1e-9, text));
  }
});

test("only a comma before three digits is ambiguous", () => {
  assert.deepEqual(Object.keys(VECTORS).filter(isAmbiguous), ["1,000", "4,994", "１，０００"]);
});
