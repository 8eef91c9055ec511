import assert from "node:assert/strict";
import { test } from "node:test";

import { roving, stepped } from "../../web/components/common/roving.js";

test("arrow keys wrap around, Home and End go to the ends, and other keys do nothing", () => {
  assert.equal(stepped("ArrowRight", 3, 4), 0);
  assert.equal(stepped("ArrowDown", 0, 4), 1);
  assert.equal(stepped("ArrowLeft", 0, 4), 3);
  assert.equal(stepped("ArrowUp", 2, 4), 1);
  assert.deepEqual([stepped("Home", 2, 4), stepped("End", 2, 4)], [0, 3]);
  assert.equal(stepped("Enter", 2, 4), undefined);
});

test("the tab stop is the first button, then the last focused button", () => {
  const group = new EventTarget();
  const focus = (button) =>
    group.dispatchEvent(Object.defineProperty(new Event("focusin"), "target", { value: button }));
  let buttons = [{}, {}, {}];
  const settle = roving(group, () => buttons);
  const stops = () => buttons.map((button) => button.tabIndex);
  assert.deepEqual(stops(), [0, -1, -1]);
  focus(buttons[2]);
  assert.deepEqual(stops(), [-1, -1, 0]);
  buttons = [{}, {}];
  settle();
  assert.deepEqual(stops(), [-1, 0]);
});
