import assert from "node:assert/strict";
import { test } from "node:test";

import { walked } from "../../web/components/common/next_head.js";

test("arrow keys go from head to head, across layers, and stop at both ends", () => {
  const sizes = { layers: 3, heads: 5 };
  const walk = (layer, head, down, across) => {
    const to = walked({ layer, head, ...sizes }, { down, across });
    return [to.layer, to.head];
  };
  assert.deepEqual(walk(1, 4, 0, 1), [2, 0]);
  assert.deepEqual(walk(1, 0, 0, -1), [0, 4]);
  assert.deepEqual(walk(0, 2, 1, 0), [1, 2]);
  assert.deepEqual(walk(2, 2, 1, 0), [2, 2]);
  assert.deepEqual(walk(0, 0, 0, -1), [0, 0]);
  assert.deepEqual(walk(2, 4, 0, 1), [2, 4]);
  const from = { layer: 1, head: 3, layers: 4, heads: 1 }; // whole layers: all keys change the layer
  assert.deepEqual(walked(from, { down: 0, across: 1 }), { ...from, layer: 2 });
  assert.deepEqual(walked(from, { down: -1, across: 0 }), { ...from, layer: 0 });
});
