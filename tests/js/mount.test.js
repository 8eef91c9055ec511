import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

import { mount } from "../../pages/components/common/mount.js";

let made;

class Counting {
  constructor(root, signal) {
    Object.assign(this, { root, signal, received: [] });
    made.push(this);
  }

  receive({ data }) {
    this.received.push(data);
  }
}

const place = () => {
  const root = {};
  return (data) => ({ data, parentElement: { querySelector: () => root } });
};

beforeEach(() => (made = []));

test("one object draws a place, however often its data changes", () => {
  const component = place();
  mount(component("a"), ".x", Counting);
  mount(component("b"), ".x", Counting);
  mount(place()("c"), ".x", Counting);
  assert.deepEqual(
    made.map((drawing) => drawing.received),
    [["a", "b"], ["c"]],
  );
});

test("leaving the page ends what it listens to, and coming back begins anew", () => {
  const component = place();
  const leave = mount(component("a"), ".x", Counting);
  leave();
  assert.equal(made[0].signal.aborted, true);
  mount(component("b"), ".x", Counting);
  assert.equal(made.length, 2);
  assert.equal(made[1].signal.aborted, false);
});

test("a call that a newer one overtook ends nothing", () => {
  const component = place();
  const overtaken = mount(component("a"), ".x", Counting);
  const leave = mount(component("b"), ".x", Counting);
  overtaken();
  assert.equal(made[0].signal.aborted, false);
  leave();
  assert.equal(made[0].signal.aborted, true);
});
