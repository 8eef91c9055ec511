import assert from "node:assert/strict";
import test from "node:test";

import { between, stepTo } from "../../web/components/mask/cells.js";

test("a fast drag includes every row or column between two cells", () => {
  assert.deepEqual(between({ row: 2, column: 1 }, { row: 2, column: 1 }), [{ row: 2, column: 1 }]);
  assert.deepEqual(
    between({ row: 0, column: 3 }, { row: 0, column: 0 }).map(({ column }) => column),
    [3, 2, 1, 0],
  );
  const slant = between({ row: 1, column: 1 }, { row: 5, column: 3 });
  assert.deepEqual(
    slant.map(({ row }) => row),
    [1, 2, 3, 4, 5],
  );
  assert.deepEqual(slant.at(-1), { row: 5, column: 3 });
});

test("arrow keys move to the next cell and stop at the edges", () => {
  const at = { row: 0, column: 2 };
  assert.deepEqual(stepTo("ArrowUp", at, 3), at);
  assert.deepEqual(stepTo("ArrowRight", at, 3), at);
  assert.deepEqual(stepTo("ArrowDown", at, 3), { row: 1, column: 2 });
  assert.deepEqual(stepTo("Home", at, 3), { row: 0, column: 0 });
  assert.deepEqual(stepTo("End", { row: 1, column: 0 }, 3), { row: 1, column: 2 });
  assert.equal(stepTo("Tab", at, 3), null);
});
