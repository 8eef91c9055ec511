import assert from "node:assert/strict";
import { beforeEach, mock, test } from "node:test";

import { Outbox, flushOutboxes } from "../../web/components/common/outbox.js";
import { SCRIPT } from "../../web/streamlit_patches/app_state.js";

let connection;
let script;
let sent;

function outboxOf(name = "") {
  const outbox = new Outbox();
  outbox.transmit = (...message) => sent.push(name ? [name, ...message] : message);
  globalThis.window.addEventListener("headlight-run-end", ({ detail }) => outbox.flush(detail));
  return outbox;
}

const runEnds = (began = Infinity) => flushOutboxes(false, began);
const reconnects = () => flushOutboxes(true, Infinity);

beforeEach(() => {
  connection = "CONNECTED";
  script = "notRunning";
  sent = [];
  mock.timers.reset();
  mock.timers.enable({ apis: ["setTimeout"] });
  globalThis.window = new EventTarget();
  globalThis.document = {
    querySelector: () => ({
      getAttribute: (name) => (name === SCRIPT ? script : connection),
    }),
  };
});

test("actions without a connection wait, and the last one of each trigger is sent", () => {
  const outbox = outboxOf();
  connection = "PINGING_SERVER";
  outbox.send("stop", 2);
  outbox.send("forced", 3);
  outbox.send("stop", 4);
  assert.deepEqual(sent, []);
  connection = "CONNECTED";
  reconnects();
  assert.deepEqual(sent, [
    ["forced", 3],
    ["stop", 4],
  ]);
  runEnds();
  assert.equal(sent.length, 2);
});

test("messages of several components are sent in the order of the actions", () => {
  const [right, left] = [outboxOf("right"), outboxOf("left")];
  connection = "PINGING_SERVER";
  left.send("stop", 1);
  right.send("stop", 2);
  connection = "CONNECTED";
  reconnects();
  assert.deepEqual(sent, [["left", "stop", 1], ["right", "stop", 2]]); // prettier-ignore
});

test("a choice is sent again after a reconnect, unless a later run has acknowledged it", () => {
  const outbox = outboxOf();
  outbox.send("stop", 1);
  runEnds();
  reconnects();
  assert.deepEqual(sent.splice(0), [["stop", 1]]);
  outbox.send("stop", 2);
  runEnds(0); // this run began before the action
  reconnects();
  assert.deepEqual(sent, [
    ["stop", 2],
    ["stop", 2],
  ]);
});

test("a choice is retried as often as the connection breaks, another action is sent once", () => {
  const outbox = outboxOf();
  outbox.send("moved", 1);
  outbox.send("stop", 1);
  reconnects();
  reconnects();
  assert.deepEqual(
    sent.map(([name]) => name),
    ["moved", "stop", "stop", "stop"],
  );
});

test("a message contains all edits that are not acknowledged, the last one of each field", () => {
  const outbox = outboxOf();
  outbox.acknowledge(7); // numbers continue after the page was left and opened again
  outbox.edit({ "2-5": true });
  outbox.edit({ look: "mask" });
  outbox.edit({ "2-5": false, "0-3": true });
  assert.deepEqual(sent.at(-1), [
    "edited",
    { number: 10, fields: { "2-5": false, look: "mask", "0-3": true } },
  ]);
  outbox.acknowledge(9);
  outbox.edit({ look: "scale" });
  assert.deepEqual(sent.at(-1), [
    "edited",
    { number: 11, fields: { "2-5": false, "0-3": true, look: "scale" } },
  ]);
});

test("a response is stale until it acknowledges the newest edit", () => {
  const outbox = outboxOf();
  outbox.acknowledge(0);
  assert.equal(outbox.stale, false);
  outbox.edit({ cells: 1 });
  outbox.edit({ cells: 2 });
  outbox.acknowledge(1);
  assert.equal(outbox.stale, true);
  outbox.acknowledge(2);
  assert.equal(outbox.stale, false);
});

test("an edit that is not acknowledged is sent again, three times, but not during a run", () => {
  const outbox = outboxOf();
  outbox.edit({ rows: "1" });
  outbox.acknowledge(1);
  const later = (seconds) => (mock.timers.tick(1000 * seconds), sent.length);
  assert.equal(later(3), 1);
  outbox.edit({ rows: "2" });
  script = "running";
  assert.equal(later(3), 2);
  script = "notRunning";
  assert.deepEqual([later(3), later(6), later(12), later(24)], [3, 4, 5, 5]);
  assert.deepEqual(sent[1], sent[4]);
});

test("a lower acknowledgement means that a new session has lost the acknowledged edits", () => {
  const outbox = outboxOf();
  assert.equal(outbox.acknowledge(3), false);
  assert.equal(outbox.acknowledge(3), false);
  assert.equal(outbox.acknowledge(0), true);
  assert.equal(outbox.acknowledge(0), false);
  outbox.edit({ cells: 1 });
  assert.equal(sent[0][1].number, 4); // higher than every earlier number
});
