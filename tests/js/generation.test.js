import assert from "node:assert/strict";
import { test } from "node:test";

import "./document.js";
import { shortProbability } from "../../web/components/generation/generation.js";

test("a small probability is not printed as zero", () => {
  assert.deepEqual([0.5, 1, 0.005, 0.0049].map(shortProbability), [".50", "1.00", ".01", "<.01"]);
});
