import assert from "node:assert/strict";
import { test } from "node:test";

import { contrast, hueOf, strong } from "../../web/components/common/contrast.js";
import { walked } from "../../web/components/common/next_head.js";

const PAPERS = { light: [255, 255, 255], dark: [11, 13, 24] }; // as in .streamlit/config.toml
// As in viz/style/theme.py: the hues of both sides, and the colours of categories.
const HUES = ["#f07d14", "#3787f5", "#31a354", "#c51b8a", "#636363", "#ff7fbf", "#808080"];

test("every hue gets enough contrast on both backgrounds, and a strong hue is unchanged", () => {
  assert.equal(contrast([0, 0, 0], [255, 255, 255]), 21); // WCAG
  assert.equal(contrast([89, 89, 89], [255, 255, 255]).toFixed(1), "7.0");
  for (const paper of Object.values(PAPERS))
    for (const hue of HUES) {
      const rgb = [1, 3, 5].map((at) => parseInt(hue.slice(at, at + 2), 16));
      assert.ok(contrast(strong(rgb, paper), paper) >= 7, hue);
    }
  assert.deepEqual(strong([10, 20, 90], PAPERS.light), [10, 20, 90]);
});

test("dark orange is orange-red, not brown: hue below 20 degrees, and saturated", () => {
  assert.equal(hueOf([240, 120, 0]), 30);
  assert.ok(Number.isNaN(hueOf([0, 120, 240])) && Number.isNaN(hueOf([9, 9, 9])));
  const [red, green, blue] = strong([240, 125, 20], PAPERS.light);
  assert.ok(hueOf([red, green, blue]) > 8 && hueOf([red, green, blue]) < 20);
  assert.ok(red > 150 && blue < red / 10);
  const brown = strong([166, 118, 29], PAPERS.light); // a head's colour, which stays brown
  assert.equal(Math.round(hueOf(brown)), 39);
});

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
