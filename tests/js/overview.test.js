import assert from "node:assert/strict";
import { test } from "node:test";

import { scaleOf } from "../../pages/components/common/scale.js";
import { stepOf } from "../../pages/components/overview/grid.js";
import { layoutOf, namesOf, strongest } from "../../pages/components/overview/lens.js";
import { colours, shrunk } from "../../pages/components/overview/thumbnails.js";

test("a shrunk head keeps the largest weight of those that share a pixel", () => {
  // Four rows and columns on two by two pixels.
  const cells = Uint16Array.from([1, 9, 0, 0, 2, 3, 0, 4, 0, 0, 5, 6, 7, 0, 8, 1]);
  assert.deepEqual([...shrunk(cells, 4, 2)], [9, 4, 7, 8]);
  assert.deepEqual([...shrunk(cells, 4, 4)], [...cells]);
});

test("where the side does not divide the size, no weight is lost", () => {
  const size = 5;
  for (let place = 0; place < size * size; place++) {
    const cells = new Uint16Array(size * size);
    cells[place] = 9;
    const found = shrunk(cells, size, 3);
    assert.equal(found.filter((value) => value === 9).length, 1);
    const [row, column] = [Math.floor(place / size), place % size];
    assert.equal(found[Math.floor((row * 3) / 5) * 3 + Math.floor((column * 3) / 5)], 9);
  }
});

test("a pixel is red, green, blue and the weight's opacity", () => {
  const table = colours([1, 2, 3], scaleOf());
  const pixel = (weight) => [...new Uint8Array(table.slice(weight, weight + 1).buffer)];
  assert.deepEqual(pixel(0), [1, 2, 3, 0]);
  assert.deepEqual(pixel(10000), [1, 2, 3, 255]);
  assert.deepEqual(pixel(4000), [1, 2, 3, 102]);
});

test("the strongest links come first, each with its query and key", () => {
  const cells = Uint16Array.from([5, 0, 1, 0, 9, 0]);
  assert.deepEqual(strongest(cells, 3, 2), [
    [9, 1, 1],
    [5, 0, 0],
  ]);
});

test("a block of tokens has the name of its first", () => {
  const labels = ["a", "b", "c", "d", "e"];
  assert.equal(namesOf({ labels, block: 1, size: 5 }), labels);
  assert.deepEqual(namesOf({ labels, block: 2, size: 3 }), ["a…", "c…", "e…"]);
});

test("the lens prints numbers where they fit, and else shrinks its cells to the room", () => {
  assert.deepEqual(layoutOf(10, 1000, 800), { printed: true, wide: 26, high: 17 });
  const crowded = layoutOf(40, 1000, 800);
  assert.equal(crowded.printed, false);
  assert.equal(crowded.wide, 10); // the smaller of 40 % of the width and 60 % of the height, by 40
  assert.equal(layoutOf(128, 300, 400).wide, 2);
});

test("all heads take a quarter of the screen's height, and their width where that is less", () => {
  assert.equal(stepOf(671, 900, 6, 12), 36); // (0.26 x 900 - 18) / 6
  assert.equal(stepOf(342, 900, 6, 12), 26); // (342 - 30) / 12
  assert.equal(stepOf(671, 900, 12, 12), 26); // many layers grow beyond it rather than be specks
});
