import assert from "node:assert/strict";
import test from "node:test";

import { between } from "../../web/components/mask/cells.js";

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
