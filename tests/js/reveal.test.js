import assert from "node:assert/strict";
import { test } from "node:test";

import { scrolled } from "../../web/components/reveal/reveal.js";

const HEIGHT = 37;
const at = (row, scrollTop) =>
  scrolled({ scrollTop, clientHeight: 9 * HEIGHT }, { row, height: HEIGHT });

test("a row in view stays where it is, also the first and the last one in view", () => {
  assert.deepEqual(
    [at(3, 3 * HEIGHT), at(5, 40), at(10, 3 * HEIGHT)],
    [3 * HEIGHT, 40, 3 * HEIGHT],
  );
});

test("a row out of view comes to the middle, and the first row in view is whole", () => {
  assert.equal(at(60, 0), 56 * HEIGHT);
  assert.equal(at(11, 3 * HEIGHT), 7 * HEIGHT);
  assert.equal(at(1, 2 * HEIGHT), 0);
});
