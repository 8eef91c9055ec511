import assert from "node:assert/strict";
import { test } from "node:test";

import { readStorage, writeStorage } from "../../web/components/common/storage.js";

test("forbidden or corrupt storage reads as empty", () => {
  globalThis.window = { localStorage: { getItem: () => "{" } };
  assert.equal(readStorage("key"), null);
  globalThis.window = {};
  writeStorage("key", 1);
  writeStorage("key", null);
  assert.equal(readStorage("key"), null);
});
