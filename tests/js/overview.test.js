import assert from "node:assert/strict";
import { test } from "node:test";

import { MASKED, opacity, scaleOf } from "../../web/components/common/scale.js";
import { foldOf, moved } from "../../web/components/overview/fold.js";
import { aspectOf, Grid } from "../../web/components/overview/grid.js";
import { strongest } from "../../web/components/overview/enlarged.js";
import { shrunk } from "../../web/components/overview/thumbnails.js";

const square = (side) => ({ rows: side, columns: side });

test("no weight is lost if the sizes do not divide", () => {
  const size = 5;
  for (let place = 0; place < size * size; place++) {
    const cells = new Uint16Array(size * size);
    cells[place] = 9;
    const found = shrunk(cells, square(size), square(3));
    assert.equal(found.filter((value) => value === 9).length, 1);
    const [row, column] = [Math.floor(place / size), place % size];
    assert.equal(found[Math.floor((row * 3) / 5) * 3 + Math.floor((column * 3) / 5)], 9);
  }
});

const roomy = { width: 672, screen: 900 };

test("heads fill the width, at most twice as wide as high, and a quarter of the screen's height", () => {
  const minilm = { layers: 6, heads: 12 };
  const wide = foldOf(roomy, minilm);
  assert.deepEqual([wide.high, wide.wide], [33, 53.5]); // (0.24 x 900 - 18) / 6, (672 - 30) / 12
  assert.equal(foldOf({ width: 2000, screen: 900 }, minilm).wide, 2 * 31 + 2);
  // Wide thumbnails are lower if the width is small: 24 wide with a gap of 2, so 12 high.
  assert.equal(foldOf({ width: 342, screen: 900 }, minilm, 2).high, 12 + 2);
});

test("many layers are folded into blocks side by side", () => {
  // (672 / 3 - 30) / 9 wide is less than (216 - 18) / 10 high.
  const folded = foldOf(roomy, { layers: 30, heads: 9 });
  assert.deepEqual([folded.blocks, folded.rows], [3, 10]);
  assert.ok(Math.abs(folded.high - 194 / 9) < 1e-9);
  const phone = foldOf({ width: 362, screen: 844 }, { layers: 30, heads: 9 });
  assert.deepEqual([phone.blocks, phone.rows, phone.high], [1, 30, 20]); // several would be too small
  for (let layers = 1; layers < 60; layers++) {
    const { blocks, rows } = foldOf(roomy, { layers, heads: 9 });
    assert.ok((blocks - 1) * rows < layers && layers <= blocks * rows); // no block is empty
  }
});

test("arrow keys change the layer and the head, also across blocks", () => {
  const data = { layers: 30, heads: 9 };
  const from = (layer, head, ...move) => moved({ layer, head }, move, data, 10);
  assert.deepEqual(from(9, 4, 1, 0), { layer: 10, head: 4 }); // the top of the next block
  assert.deepEqual(from(3, 8, 0, 1), { layer: 13, head: 0 });
  assert.deepEqual(from(13, 0, 0, -1), { layer: 3, head: 8 });
  assert.deepEqual(from(3, 0, 0, -1), { layer: 3, head: -1 });
});

test("a head with more keys than queries is reduced separately in each direction", () => {
  // Two rows of six, reduced to two by three pixels.
  const cells = Uint16Array.from([1, 9, 0, 0, 2, 3, 0, 4, 0, 5, 7, 6]);
  const reduced = (rows, columns) => [...shrunk(cells, { rows: 2, columns: 6 }, { rows, columns })];
  assert.deepEqual(reduced(2, 3), [9, 0, 3, 4, 5, 7]);
  assert.deepEqual(reduced(1, 2), [9, 7]);
});

test("a pixel is masked if all of its cells are, and a masked cell is not a large weight", () => {
  const cells = Uint16Array.from([5, MASKED, MASKED, MASKED]);
  const [row, pair] = [4, 2].map((columns) => ({ rows: 1, columns }));
  assert.deepEqual([...shrunk(cells, row, pair)], [5, MASKED]);
  assert.equal(opacity(MASKED, scaleOf()), 0);
});

test("the strongest links use the number of columns and are never masked", () => {
  const cells = Uint16Array.from([5, 0, 1, MASKED, 0, 9, 0, MASKED]);
  assert.deepEqual(strongest(cells, 4, 3), [
    [9, 1, 1],
    [5, 0, 0],
    [1, 0, 2],
  ]);
});

test("cells are square unless one side is more than twice as long", () => {
  assert.equal(aspectOf({ size: 5, keys: { size: 7, labels: [] } }), 1.4);
  assert.equal(aspectOf({ size: 5, keys: { size: 70, labels: [] } }), 2);
  assert.equal(aspectOf({ size: 70, keys: { size: 5, labels: [] } }), 0.5);
});

test("the head under the pointer is found in every block, also if thumbnails are not square", () => {
  const canvas = { getBoundingClientRect: () => ({ left: 100, top: 50 }) };
  const grid = new Grid(/** @type {any} */ (canvas));
  Object.assign(grid, { data: { layers: 3, heads: 3 }, rows: 2, wide: 40, high: 25 });
  const at = (x, y) => grid.at(/** @type {any} */ ({ clientX: 100 + x, clientY: 50 + y }));
  assert.deepEqual(at(30, 18), { layer: 0, head: 0 });
  assert.deepEqual(at(30 + 119, 18 + 49), { layer: 1, head: 2 });
  assert.equal(at(30 + 120, 18), null); // the names of the next block
  assert.equal(at(30, 18 + 50), null);
  assert.deepEqual(at(150 + 30, 18), { layer: 2, head: 0 });
  assert.equal(at(150 + 30, 18 + 25), null); // the last block has one layer
  const expected = { left: 100 + 150 + 30 + 40, top: 50 + 18, wide: 40, high: 25 };
  assert.deepEqual(grid.where({ layer: 2, head: 1 }), expected);
});
