import assert from "node:assert/strict";
import { mock, test } from "node:test";

import caption from "../../web/components/caption/caption.js";
import { contrast, hueOf, strong, strongCss } from "../../web/components/common/contrast.js";
import { walked } from "../../web/components/common/walking.js";

const PAPERS = { light: [255, 255, 255], dark: [11, 13, 24] }; // as in .streamlit/config.toml
// As in viz/style/theme.py: the hues of both sides, and the colours of categories.
const HUES = ["#f07d14", "#3787f5", "#31a354", "#c51b8a", "#636363", "#ff7fbf", "#808080"];

test("contrast follows WCAG: black on white 21, equal colours 1, and a grey in between", () => {
  assert.equal(contrast([0, 0, 0], [255, 255, 255]), 21);
  assert.equal(contrast([9, 99, 199], [9, 99, 199]), 1);
  assert.equal(contrast([89, 89, 89], [255, 255, 255]).toFixed(1), "7.0");
});

test("every hue gets enough contrast on both backgrounds, and a strong hue is unchanged", () => {
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

test("a colour keeps its alpha, and other text is unchanged", () => {
  assert.match(strongCss("rgba(240, 125, 20, 0.25)", "#ffffff"), /^rgba\(\d+, \d+, \d+, 0\.25\)$/);
  assert.equal(strongCss("Viridis", "#ffffff"), "Viridis");
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

test("the answer to an earlier arrow key does not undo a later one", () => {
  globalThis.window = new EventTarget();
  globalThis.document = { querySelector: () => null };
  mock.timers.enable({ apis: ["setTimeout"] });
  const sent = [];
  const root = {};
  const receive = (head, acknowledged) =>
    caption({
      data: { text: "", walk: { layer: 0, head, layers: 6, heads: 12 }, acknowledged },
      parentElement: { querySelector: () => root },
      setTriggerValue: (_name, { number, fields }) => sent.push([number, fields.head]),
    });
  const press = () => globalThis.window.headlightCaption.walk({ down: 0, across: 1 });
  const head = () => globalThis.window.headlightCaption.place.head;
  receive(1, 0);
  press();
  mock.timers.tick(150);
  press();
  receive(2, 1); // the answer to the first key, while the second waits
  assert.equal(head(), 3);
  mock.timers.tick(150);
  press();
  mock.timers.tick(150);
  receive(3, 2);
  assert.equal(head(), 4);
  receive(4, 3);
  receive(9, 3); // the server's own change, with nothing unread
  assert.equal(head(), 9);
  assert.deepEqual(sent, [[1, 2], [2, 3], [3, 4]]); // prettier-ignore
  mock.timers.reset();
});
