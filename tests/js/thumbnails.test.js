import assert from "node:assert/strict";
import { test } from "node:test";

import { MASKED } from "../../web/components/common/scale.js";
import { strongestOf } from "../../web/components/thumbnails/thumbnails.js";

test("a masked cell is never the strongest cell of a head", () => {
  assert.equal(strongestOf(Uint16Array.of(MASKED, 4000, 6000, MASKED)), 2);
  assert.equal(strongestOf(Uint16Array.of(MASKED, 0)), 1);
});
