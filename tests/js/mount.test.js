import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

import { mount } from "../../web/components/common/mount.js";
import { flushOutboxes } from "../../web/components/common/outbox.js";

let made;

class Counting {
  constructor(root, signal, outbox) {
    Object.assign(this, { root, signal, outbox, received: [] });
    made.push(this);
  }

  receive({ data }) {
    this.received.push(data);
  }
}

const draw = mount(".x", Counting);

const place = () => {
  const root = {};
  return (data) => ({ data, parentElement: { querySelector: () => root } });
};

beforeEach(() => {
  made = [];
  globalThis.window = new EventTarget();
  globalThis.document = { querySelector: () => null };
});

test("one object draws a component, however often its data changes", () => {
  const component = place();
  draw(component("a"));
  draw(component("b"));
  draw(place()("c"));
  assert.deepEqual(
    made.map((drawing) => drawing.received),
    [["a", "b"], ["c"]],
  );
});

test("the cleanup of an earlier call has no effect", () => {
  const component = place();
  const earlier = draw(component("a"));
  const leave = draw(component("b"));
  earlier();
  assert.equal(made[0].signal.aborted, false);
  leave();
  assert.equal(made[0].signal.aborted, true);
  draw(component("c")); // a later call creates a new object
  assert.deepEqual([made.length, made[1].signal.aborted], [2, false]);
});

test("messages use the newest payload, and cleanup discards the waiting ones", () => {
  const component = place();
  const sent = [];
  const call = (data) =>
    draw({ ...component(data), setTriggerValue: (...message) => sent.push([data, ...message]) });
  call("a");
  const leave = call("b");
  made[0].outbox.send("stop", 1);
  assert.deepEqual(sent.splice(0), [["b", "stop", 1]]);
  leave();
  flushOutboxes(true, Infinity);
  assert.deepEqual(sent, []);
});

test("a key that converts Chinese or Japanese input reaches no other listener", () => {
  draw(place()("a"));
  const keys = [];
  globalThis.window.addEventListener("keydown", ({ key }) => keys.push(key));
  for (const isComposing of [true, false])
    globalThis.window.dispatchEvent(
      Object.assign(new Event("keydown"), { key: "Enter", isComposing }),
    );
  assert.deepEqual(keys, ["Enter"]);
});
