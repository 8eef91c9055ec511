import assert from "node:assert/strict";
import { test } from "node:test";

import { middleOf, tokenAt } from "../../web/components/lines/lines.js";

const COUNTS = { queries: 5, keys: 7 };
const ROW = 20;

test("the shorter list is centred on the longer one", () => {
  assert.equal(middleOf(0, false, COUNTS, ROW), 4 + 10);
  assert.equal(middleOf(0, true, COUNTS, ROW), 4 + 10 + 20);
  assert.equal(middleOf(2, true, COUNTS, ROW), middleOf(3, false, COUNTS, ROW)); // the middle tokens
});

test("a token is found at its position, and none outside the list", () => {
  for (const query of [true, false]) {
    const count = query ? COUNTS.queries : COUNTS.keys;
    for (let token = 0; token < count; token++)
      for (const off of [-9.9, 0, 9.9])
        assert.equal(tokenAt(middleOf(token, query, COUNTS, ROW) + off, query, COUNTS, ROW), token);
    assert.equal(tokenAt(middleOf(0, query, COUNTS, ROW) - 10.1, query, COUNTS, ROW), null);
    assert.equal(tokenAt(middleOf(count - 1, query, COUNTS, ROW) + 10.1, query, COUNTS, ROW), null);
  }
});
