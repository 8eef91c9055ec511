import assert from "node:assert/strict";
import { afterEach, beforeEach, mock, test } from "node:test";

import draw from "../../web/components/history/history.js";

// As in history.js.
const SEND_TIME = 500;
const QUIET_TIME = 300;
const RERUN_TAG = (11 << 3) | 2;

let now;
let app; // attributes that Streamlit sets on the element around the app
let onMutation; // callback of the component's MutationObserver
let current; // index of the current history entry
let calls; // changes of the history that the component made
let parentElement; // of the component
let leave; // cleanup of the component

class TraverseEvent extends Event {
  constructor(delta, cancelable = true) {
    super("navigate", { cancelable });
    this.navigationType = "traverse";
    this.destination = { index: current + delta };
  }
}

class WriteEvent extends Event {
  constructor(navigationType, url) {
    super("navigate", { cancelable: true });
    this.navigationType = navigationType;
    this.destination = { url: new URL(url, "http://127.0.0.1").href };
  }
}

class Navigation extends EventTarget {
  get currentEntry() {
    return { index: current };
  }

  entries() {
    return Array.from({ length: 10 }, (_, i) => ({ key: i }));
  }

  traverseTo(key) {
    calls.push(["to", key]);
    navigate(new TraverseEvent(key - current));
    current = key;
    return { committed: Promise.resolve(), finished: Promise.resolve() };
  }
}

/** @returns {boolean} whether the browser makes the navigation: the component does not prevent it */
const navigate = (event) => globalThis.window.navigation.dispatchEvent(event);
const replace = (address) => navigate(new WriteEvent("replace", address));
const act = (name) => globalThis.window.dispatchEvent(new Event(name));

const traverse = (delta) => {
  const allowed = navigate(new TraverseEvent(delta));
  if (allowed) current += delta;
  return allowed;
};

function setState(script, connection = "CONNECTED") {
  app = { "data-test-script-state": script, "data-test-connection-state": connection };
  onMutation();
}

function wait(milliseconds) {
  now += milliseconds;
  mock.timers.tick(milliseconds);
}

/** @param {string} address path and query string of the open page */
function open(address, entry = null) {
  const root = {};
  parentElement = { querySelector: () => root };
  enter(address, entry);
}

/** Enter a page while the component stays. */
function enter(address, entry) {
  const data = { page: "layers", entry };
  const { pathname, search, hash } = new URL(address, "http://127.0.0.1");
  Object.assign(globalThis.window.location, { pathname, search, hash });
  leave = draw({ data, parentElement });
}

beforeEach(() => {
  [now, current, calls] = [10_000, 5, []];
  mock.timers.enable({ apis: ["setTimeout"] });
  mock.method(performance, "now", () => now);
  globalThis.window = Object.assign(new EventTarget(), {
    location: {},
    navigation: new Navigation(),
    history: {
      state: null,
      replaceState: (_state, _title, address) =>
        replace(address) && calls.push(["replaced", address]),
    },
  });
  globalThis.document = {
    querySelector: (selector) => ({ getAttribute: () => app[selector.slice(1, -1)] }),
  };
  globalThis.MutationObserver = class {
    constructor(callback) {
      onMutation = callback;
    }

    observe() {}

    disconnect() {
      onMutation = () => {};
    }
  };
  globalThis.WebSocket = class extends EventTarget {
    url = "ws://127.0.0.1/_stcore/stream";

    send() {}
  };
  open("/layers");
  setState("notRunning");
});

afterEach(() => {
  leave();
  mock.restoreAll();
  mock.timers.reset();
});

const ENTRY = { before: "part=lens", after: "part=lens&text=A+cat." };

test("the first query string is written once, into the entry of its page and query string", () => {
  for (const address of ["/explore?part=lens", "/layers?part=stream", "/layers"]) {
    leave();
    open(address, ENTRY);
  }
  setState("running");
  setState("notRunning");
  assert.deepEqual(calls, []);
  leave();
  open("/layers?present=1&part=lens#here", ENTRY);
  setState("notRunning");
  assert.deepEqual(calls, [["replaced", "/layers?part=lens&text=A+cat.#here"]]);
});

test("a traversal at idle is made immediately, and the next one waits for its response", () => {
  assert.ok(traverse(-1));
  wait(SEND_TIME - 1);
  assert.ok(!traverse(-1));
  wait(SEND_TIME);
  assert.deepEqual(calls, [["to", 3]]);
});

test("traversals during a run are added up and made after the run", () => {
  setState("running");
  assert.ok(!traverse(-1));
  assert.ok(!traverse(-2));
  assert.ok(!traverse(1));
  wait(9 * SEND_TIME);
  assert.deepEqual(calls, []);
  setState("notRunning");
  assert.deepEqual(calls, [["to", 3]]);
});

test("a traversal waits until an action that was just made has been sent", () => {
  act("keydown");
  assert.ok(!traverse(-1));
  wait(SEND_TIME - 1);
  assert.deepEqual(calls, []);
  wait(1);
  assert.deepEqual(calls, [["to", 4]]);
});

test("a traversal waits for the response to a request without a time limit", () => {
  const socket = new WebSocket();
  socket.send([RERUN_TAG, 0]); // requests a run
  wait(20 * SEND_TIME);
  assert.ok(!traverse(-1));
  assert.deepEqual(calls, []);
  socket.dispatchEvent(new Event("message"));
  wait(SEND_TIME + QUIET_TIME);
  assert.deepEqual(calls, [["to", 4]]);
});

test("other messages and lost requests delay no traversal", () => {
  new WebSocket().send([8, 0]);
  Object.assign(new WebSocket(), { url: "ws://127.0.0.1/room" }).send([RERUN_TAG]);
  wait(SEND_TIME);
  assert.ok(traverse(-1));
  wait(SEND_TIME);
  new WebSocket().send([RERUN_TAG]);
  setState("notRunning", "PINGING_SERVER");
  wait(SEND_TIME);
  assert.ok(traverse(-1));
});

test("a response that a traversal overtakes does not change the entry of the traversal", () => {
  setState("running");
  assert.ok(!traverse(-1));
  setState("notRunning");
  wait(SEND_TIME);
  assert.deepEqual(calls, [["to", 4]]);
  const socket = new WebSocket();
  socket.send([RERUN_TAG]); // for entry 4
  assert.ok(navigate(new TraverseEvent(-1, false))); // to entry 3, before the response
  assert.ok(!replace("/layers?head=4"));
  socket.dispatchEvent(new Event("message"));
  setState("running");
  assert.ok(!replace("/layers?head=4"));
  setState("notRunning"); // the run for entry 3 follows
  wait(QUIET_TIME - 1);
  assert.ok(!replace("/layers?head=4"));
  setState("running");
  setState("notRunning");
  wait(SEND_TIME + QUIET_TIME);
  assert.ok(replace("/layers?present=1"));
  assert.deepEqual(calls, [["to", 4]]);
});

test("after a traversal that overtakes nothing, and after another action, entries are changed", () => {
  assert.ok(traverse(-1));
  assert.ok(replace("/layers?head=4"));
  setState("running");
  assert.ok(navigate(new TraverseEvent(-1, false)));
  assert.ok(!replace("/layers?head=4"));
  act("pointerup");
  assert.ok(replace("/layers?head=3&present=1"));
});

test("the first query string is written although the traversal to its entry overtook a response", () => {
  setState("running");
  assert.ok(navigate(new TraverseEvent(-1, false)));
  enter("/layers?part=lens", ENTRY);
  assert.deepEqual(calls, [["replaced", "/layers?part=lens&text=A+cat."]]);
});

test("the entries for the new view on the old page and for the new page are merged", () => {
  assert.ok(navigate(new WriteEvent("push", "/layers?part=lens")));
  assert.ok(!navigate(new WriteEvent("push", "/heads?part=lens")));
  assert.deepEqual(calls.splice(0), [["replaced", "http://127.0.0.1/heads?part=lens"]]);
  assert.ok(navigate(new WriteEvent("push", "/layers?part=lens")));
  act("pointerup");
  assert.ok(navigate(new WriteEvent("push", "/heads?part=lens"))); // after another action
  assert.deepEqual(calls, []);
});
