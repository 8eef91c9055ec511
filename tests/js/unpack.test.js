// viz/canvas.py packs the payload in payload.hex. A Python test compares them.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { four } from "../../web/components/common/scale.js";
import { unpack } from "../../web/components/common/unpack.js";

const message = Buffer.from(
  readFileSync(new URL("payload.hex", import.meta.url), "utf-8").replaceAll("\n", ""),
  "hex",
);

test("unpack restores the header and the weights", () => {
  const { cells, ...header } = unpack(new Uint8Array(message));
  assert.deepEqual(header, { heads: 2, size: 3, labels: ["é", "🙂", "</a>"], side: "left" });
  assert.equal(cells.length, 2 * 3 * 3);
  const key = 1;
  const query = 2;
  assert.equal(four(cells[(1 * 3 + query) * 3 + key]), "0.1250");
  assert.deepEqual([...cells.subarray(0, 3)], [40000, 0, 0]);
});

test("a message can start at any offset of its buffer", () => {
  for (const offset of [1, 2, 3]) {
    const buffer = new Uint8Array(message.length + offset);
    buffer.set(message, offset);
    assert.deepEqual(unpack(buffer.subarray(offset)), unpack(new Uint8Array(message)));
  }
});
