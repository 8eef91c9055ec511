import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

import { mount } from "../../web/components/common/mount.js";
import { tellAll } from "../../web/components/common/telling.js";

let made;
let connection;

class Counting {
  constructor(root, signal) {
    Object.assign(this, { root, signal, received: [] });
    made.push(this);
  }

  receive({ data, setTriggerValue }) {
    this.received.push(data);
    this.send = setTriggerValue;
  }
}

const place = () => {
  const root = {};
  return (data) => ({ data, parentElement: { querySelector: () => root } });
};

const atRest = (again = false, began = Infinity) => tellAll(again, began);

beforeEach(() => {
  made = [];
  connection = "CONNECTED";
  globalThis.window = new EventTarget();
  globalThis.document = { querySelector: () => ({ getAttribute: () => connection }) };
});

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

test("what is done while the server is away is told once it is back, the last of each", () => {
  const told = [];
  const component = place();
  const receive = (data) =>
    mount(
      { ...component(data), setTriggerValue: (...what) => told.push([data, ...what]) },
      "",
      Counting,
    );
  receive("a");
  made[0].send("picked", 1);
  assert.deepEqual(told.splice(0), [["a", "picked", 1]]);
  connection = "PINGING_SERVER";
  made[0].send("picked", 2);
  made[0].send("looked", 3);
  made[0].send("picked", 4);
  assert.deepEqual(told, []);
  connection = "CONNECTED";
  const leave = receive("b"); // what the server's new session has drawn
  atRest();
  atRest();
  assert.deepEqual(told.splice(0), [
    ["b", "looked", 3],
    ["b", "picked", 4],
  ]);
  connection = "DISCONNECTED";
  made[0].send("picked", 5);
  leave();
  atRest();
  assert.deepEqual(told, []); // of a page that was left
});

test("of two components that choose the same, the one that was used last is heard last", () => {
  const told = [];
  for (const side of ["right", "left"])
    mount({ ...place()(side), setTriggerValue: () => told.push(side) }, "", Counting);
  const [right, left] = made;
  left.send("picked", 1);
  connection = "PINGING_SERVER";
  right.send("picked", 2);
  connection = "CONNECTED";
  told.length = 0;
  atRest(true);
  assert.deepEqual(told, ["left", "right"]);
});

test("what was on its way when the line broke is told again, and nothing that was heard", () => {
  const told = [];
  const component = place();
  mount({ ...component("a"), setTriggerValue: (...what) => told.push(what) }, "", Counting);
  made[0].send("picked", 1);
  atRest(); // heard
  atRest(true);
  assert.deepEqual(told.splice(0), [["picked", 1]]);
  made[0].send("picked", 2);
  made[0].send("overlaid", 3); // on, or off: once
  atRest(false, 0); // a run that had begun before
  connection = "PINGING_SERVER";
  made[0].send("looked", 4);
  connection = "CONNECTED";
  atRest(true);
  assert.deepEqual(told.slice(2), [
    ["picked", 2],
    ["looked", 4],
  ]);
  atRest(true);
  assert.equal(told.length, 4);
});
