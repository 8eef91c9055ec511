import assert from "node:assert/strict";
import { afterEach, beforeEach, mock, test } from "node:test";

import draw from "../../web/components/history/history.js";

const ANSWER = 500; // as in history.js: in which an act is sent
const QUIET = 300; // and after which no other run follows for it

// -- as much of a browser as it asks --------------------------------------------------------------

let now;
let app; // what Streamlit says on the element around it
let observed; // told when that changes
let at; // the step of the browser's history that is shown
let taken; // what was done to the history
let leave;

class Connection extends EventTarget {
  url = "ws://127.0.0.1/_stcore/stream";

  send() {}
}

class Traversing extends Event {
  constructor(steps, cancelable = true) {
    super("navigate", { cancelable });
    this.navigationType = "traverse";
    this.destination = { index: at + steps };
  }
}

class Pushing extends Event {
  constructor(url) {
    super("navigate", { cancelable: true });
    this.navigationType = "push";
    this.destination = { url: `http://127.0.0.1${url}` };
  }
}

class Navigation extends EventTarget {
  get currentEntry() {
    return { index: at };
  }

  entries() {
    return Array.from({ length: 10 }, (_, i) => ({ key: i }));
  }

  traverseTo(key) {
    taken.push(["to", key]);
    navigates(new Traversing(key - at));
    at = key;
    return { committed: Promise.resolve(), finished: Promise.resolve() };
  }
}

/** Whether the browser takes a step that it is about to take. */
const navigates = (event) => globalThis.window.navigation.dispatchEvent(event);
const acts = (name) => globalThis.window.dispatchEvent(new Event(name));

const goes = (steps) => {
  const went = navigates(new Traversing(steps));
  if (went) at += steps;
  return went;
};

function says(state, connection = "CONNECTED") {
  app = { "data-test-script-state": state, "data-test-connection-state": connection };
  observed();
}

function passes(milliseconds) {
  now += milliseconds;
  mock.timers.tick(milliseconds);
}

/** @param {string} address the path and the query of the page that is open */
function opens(address, data = { page: "layers", entry: null }) {
  const { pathname, search, hash } = new URL(address, "http://127.0.0.1");
  Object.assign(globalThis.window.location, { pathname, search, hash });
  const root = {};
  leave = draw({ data, parentElement: { querySelector: () => root } });
}

beforeEach(() => {
  [now, at, taken] = [10_000, 5, []];
  mock.timers.enable({ apis: ["setTimeout"] });
  mock.method(performance, "now", () => now);
  globalThis.window = Object.assign(new EventTarget(), {
    location: {},
    navigation: new Navigation(),
    history: {
      state: null,
      replaceState: (_state, _title, address) => taken.push(["replaced", address]),
      go: (steps) => taken.push(["go", steps]),
    },
  });
  globalThis.document = {
    querySelector: (selector) => ({ getAttribute: () => app[selector.slice(1, -1)] }),
  };
  globalThis.MutationObserver = class {
    constructor(told) {
      observed = told;
    }

    observe() {}

    disconnect() {
      observed = () => {};
    }
  };
  globalThis.WebSocket = class extends Connection {};
  opens("/layers");
  says("notRunning");
});

afterEach(() => {
  leave();
  mock.restoreAll();
  mock.timers.reset();
});

// -- the first address of a page ------------------------------------------------------------------

const ENTRY = { before: "part=lens", after: "part=lens&text=A+cat." };

test("the first address completes the step that was taken when the page was entered", () => {
  leave();
  opens("/layers?part=lens#here", { page: "layers", entry: ENTRY });
  assert.deepEqual(taken, [["replaced", "/layers?part=lens&text=A+cat.#here"]]);
  says("notRunning");
  assert.equal(taken.length, 1); // once
});

test("what the browser writes by itself, and how it writes it, makes no other address", () => {
  leave();
  opens("/layers?present=1&text=A%20cat.", {
    page: "layers",
    entry: { before: "text=A+cat.", after: "text=A+cat.&left=scratch" },
  });
  assert.deepEqual(taken, [["replaced", "/layers?text=A+cat.&left=scratch"]]);
});

test("another page's step, or one that says something else, is not completed", () => {
  for (const address of ["/explore?part=lens", "/layers?part=stream", "/layers"]) {
    leave();
    opens(address, { page: "layers", entry: ENTRY });
  }
  says("running");
  says("notRunning");
  assert.deepEqual(taken, []);
});

test("where the path is written only after it has come, it is completed at rest", () => {
  leave();
  opens("/?part=lens", { page: "layers", entry: ENTRY });
  assert.deepEqual(taken, []);
  globalThis.window.location.pathname = "/layers";
  says("notRunning");
  assert.deepEqual(taken, [["replaced", "/layers?part=lens&text=A+cat."]]);
});

// -- steps back and forward -----------------------------------------------------------------------

test("a step at rest is taken at once, and the next one waits for its answer", () => {
  assert.ok(goes(-1));
  passes(ANSWER - 1);
  assert.ok(!goes(-1));
  passes(ANSWER);
  assert.deepEqual(taken, [["to", 3]]);
});

test("steps while the server is at work are taken together when it has answered", () => {
  says("running");
  assert.ok(!goes(-1));
  assert.ok(!goes(-2));
  assert.ok(!goes(1));
  passes(9 * ANSWER);
  assert.deepEqual(taken, []);
  says("notRunning");
  assert.deepEqual(taken, [["to", 3]]);
  passes(ANSWER);
  assert.ok(goes(-1)); // and then they are as ever
});

test("steps that take one another back are none", () => {
  says("running");
  assert.ok(!goes(-1));
  assert.ok(!goes(1));
  says("notRunning");
  assert.deepEqual(taken, []);
});

test("what was just done may be yet to be sent: a step waits for that", () => {
  acts("keydown");
  passes(ANSWER - 1);
  assert.ok(!goes(-1));
  passes(1);
  assert.deepEqual(taken, []); // it is looked again when an act would have been sent
  passes(ANSWER);
  assert.deepEqual(taken, [["to", 4]]);
});

test("an act that the server has heard of is answered when it is at rest", () => {
  acts("change");
  says("running");
  says("notRunning");
  assert.ok(goes(-1));
});

test("what the server was told, and has not answered, is waited for however long", () => {
  const line = new WebSocket();
  line.send([(11 << 3) | 2, 0]); // a run is asked for
  passes(20 * ANSWER);
  assert.ok(!goes(-1));
  passes(20 * ANSWER);
  assert.deepEqual(taken, []);
  line.dispatchEvent(new Event("message"));
  passes(ANSWER + QUIET);
  assert.deepEqual(taken, [["to", 4]]);
});

test("while more is done, or the server goes on, a step waits on", () => {
  const line = new WebSocket();
  line.send([(11 << 3) | 2]);
  line.dispatchEvent(new Event("message"));
  passes(2 * ANSWER);
  line.dispatchEvent(new Event("message")); // of a run that follows at once
  passes(QUIET - 1);
  assert.ok(!goes(-1));
  passes(ANSWER - 1);
  acts("keydown");
  passes(ANSWER - 1);
  assert.deepEqual(taken, []);
  passes(1);
  assert.deepEqual(taken, [["to", 4]]);
});

test("what else is sent, or sent elsewhere, asks for no run", () => {
  new WebSocket().send([8, 0]);
  Object.assign(new WebSocket(), { url: "ws://127.0.0.1/room" }).send([(11 << 3) | 2]);
  passes(ANSWER);
  assert.ok(goes(-1));
});

test("where the line breaks, what was on its way is waited for no longer", () => {
  new WebSocket().send([(11 << 3) | 2]);
  says("notRunning", "PINGING_SERVER");
  passes(ANSWER);
  assert.ok(goes(-1));
});

test("a step that the browser does not let wait is taken", () => {
  says("running");
  assert.ok(navigates(new Traversing(-1, false)));
  says("notRunning");
  assert.deepEqual(taken, []);
});

test("a step to another site, which is none of this one's, is taken as well", () => {
  at = 0;
  says("running");
  assert.ok(!goes(-1));
  says("notRunning");
  assert.deepEqual(taken, [["go", -1]]);
});

// -- the server leads to another page -------------------------------------------------------------

test("its two steps, this view on the page before and then the page, are one", () => {
  assert.ok(navigates(new Pushing("/layers?part=lens")));
  assert.ok(!navigates(new Pushing("/heads?part=lens")));
  assert.deepEqual(taken, [["replaced", "http://127.0.0.1/heads?part=lens"]]);
});

test("a page that is entered by itself is a step of its own", () => {
  assert.ok(navigates(new Pushing("/layers?part=lens")));
  assert.ok(navigates(new Pushing("/heads?part=map")));
  assert.ok(navigates(new Pushing("/layers?part=lens")));
  acts("pointerup");
  assert.ok(navigates(new Pushing("/heads?part=lens"))); // another act's
  assert.deepEqual(taken, []);
});

test("after the page has let go of it, nothing is held back or joined", () => {
  leave();
  says("running");
  assert.ok(goes(-1));
  assert.ok(navigates(new Pushing("/layers?part=lens")));
  assert.ok(navigates(new Pushing("/heads?part=lens")));
});
