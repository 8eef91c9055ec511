import assert from "node:assert/strict";
import { beforeEach, mock, test } from "node:test";

import { isRight } from "../../web/components/classroom/answers.js";
import { AnswerOutbox } from "../../web/components/classroom/answer_outbox.js";
import { RoomConnection } from "../../web/components/classroom/connection.js";
import { membershipOf } from "../../web/components/classroom/membership.js";
import { addressOf, sameView, viewOf } from "../../web/components/classroom/view_links.js";
import { ViewFollower, ViewPublisher } from "../../web/components/classroom/view_sync.js";

/** @type {unknown[][]} */
let sent;

/** The answers that the browser has stored. */
const stored = () => membershipOf("1")?.answers;

beforeEach(() => {
  /** @type {Record<string, string>} */
  const kept = {};
  const localStorage = {
    getItem: (/** @type {string} */ key) => kept[key] ?? null,
    setItem: (/** @type {string} */ key, /** @type {string} */ text) => (kept[key] = text),
  };
  Object.assign(globalThis, { window: Object.assign(new EventTarget(), { localStorage }) });
  sent = [];
});

/** @param {(key: string, answer: unknown) => { status: number, body: any }} respond */
const outboxFor = (respond, signal = new AbortController().signal) =>
  new AnswerOutbox(
    "1",
    "answers",
    async (...args) => {
      sent.push(args);
      return respond(...args);
    },
    () => {},
    signal,
  );

test("an unacknowledged answer is stored and sent again in order", async () => {
  const left = new AbortController();
  const offline = outboxFor(() => ({ status: 0, body: {} }), left.signal);
  offline.add("5.1", 2);
  await new Promise(setImmediate);
  assert.deepEqual(stored(), { 5.1: { answer: 2, state: "waiting" } });
  left.abort(); // a reload: another object, the same storage
  const online = outboxFor((_key, answer) => ({ status: 200, body: { answer } }));
  online.set("7.2", { answer: [3, 1], state: "waiting" });
  await online.flush();
  assert.equal(sent.slice(1).join(" "), "5.1,2 7.2,3,1");
  const arrived = {
    5.1: { answer: 2, state: "arrived" },
    7.2: { answer: [3, 1], state: "arrived" },
  };
  assert.deepEqual(stored(), arrived);
});

test("a second answer in a round is ignored, and the server's answer replaces it", async () => {
  const outbox = outboxFor(() => ({ status: 409, body: { answer: 4 } }));
  outbox.add("5.1", 2);
  outbox.add("5.1", 3);
  await new Promise(setImmediate);
  assert.deepEqual(sent, [["5.1", 2]]);
  assert.deepEqual(outbox.get("5.1"), { answer: 4, state: "arrived" });
});

test("an answer after the reveal is late, a busy server gets it again, a refused one can change", async () => {
  const closed = outboxFor(() => ({ status: 409, body: { error: "closed" } }));
  closed.add("5.1", 2);
  await new Promise(setImmediate);
  assert.equal(closed.get("5.1")?.state, "late");
  for (const status of [0, 429, 503]) {
    const left = new AbortController();
    const busy = outboxFor(() => ({ status, body: { error: "too_many" } }), left.signal);
    busy.add(`${status}.1`, 2);
    await new Promise(setImmediate);
    assert.equal(busy.get(`${status}.1`)?.state, "waiting");
    left.abort();
  }
  const refusing = outboxFor(() => ({ status: 400, body: { error: "bad" } }));
  refusing.add("6.1", "long");
  await new Promise(setImmediate);
  assert.deepEqual(refusing.get("6.1"), { answer: "long", state: "refused" });
  const outbox = outboxFor(() => ({ status: 200, body: {} }));
  outbox.add("6.1", "short");
  await new Promise(setImmediate);
  assert.deepEqual(outbox.get("6.1"), { answer: "short", state: "arrived" });
  outbox.acknowledge("7.1", [2, 0]); // from another device
  assert.deepEqual(outbox.get("7.1"), { answer: [2, 0], state: "arrived" });
});

function followingBrowser() {
  const page = { view: "/?head=0", idle: true, time: 10_000, opened: /** @type {string[]} */ ([]) };
  const follower = new ViewFollower({
    currentView: () => page.view,
    open: (view) => {
      page.opened.push(view);
      page.view = view;
    },
    isIdle: () => page.idle,
    now: () => page.time,
  });
  const poll = (later = 1_000) => {
    page.time += later;
    follower.poll();
  };
  return { page, follower, poll };
}

test("the newest view wins, also if an older one arrives later", () => {
  const { page, follower, poll } = followingBrowser();
  follower.receive("/?head=2", 8);
  follower.receive("/?head=1", 7);
  poll();
  assert.deepEqual(page.opened, ["/?head=2"]);
  follower.receive("/?head=2", 8); // repeated in a later state
  poll();
  assert.equal(page.opened.length, 1);
});

test("during a rerun only the newest view waits, for two seconds at most", () => {
  const { page, follower, poll } = followingBrowser();
  page.idle = false;
  follower.receive("/?head=1", 1);
  poll(300);
  follower.receive("/?head=2", 2);
  poll(300);
  assert.deepEqual(page.opened, []);
  poll(2_500);
  assert.deepEqual(page.opened, ["/?head=2"]);
});

function publishingBrowser(view = "/layers") {
  const page = { view, idle: true, status: 204, published: /** @type {string[]} */ ([]) };
  const publisher = new ViewPublisher({
    currentView: () => page.view,
    isIdle: () => page.idle,
    send: async (shown) => {
      page.published.push(shown);
      return { status: page.status };
    },
  });
  return { page, publisher };
}

test("a stable view is published once, and again if the request failed", async () => {
  const { page, publisher } = publishingBrowser();
  page.idle = false;
  await publisher.poll();
  await publisher.poll();
  assert.deepEqual(page.published, []); // the state of the room is unknown
  publisher.receive(null);
  await publisher.poll();
  assert.deepEqual(page.published, []); // the page is loading
  page.view = "/layers?part=lens";
  await publisher.poll();
  page.status = 0;
  await publisher.poll();
  page.status = 204;
  for (const view of ["/layers?part=lens", "/classroom?room=1"]) {
    page.view = view;
    await publisher.poll();
    await publisher.poll();
  }
  assert.deepEqual(page.published, ["/layers?part=lens", "/layers?part=lens"]);
});

test("the view that another device has shown is not published again", async () => {
  const { page, publisher } = publishingBrowser("/layers?part=lens");
  assert.equal(publisher.receive("/heads"), true); // the first state: this device has the lead
  await publisher.publish(page.view);
  page.view = "/?layer=2";
  await publisher.publish(page.view);
  assert.equal(publisher.receive("/layers?part=lens"), true); // an echo of an older view
  assert.equal(publisher.receive("/model"), false); // of the other device
  page.view = "/model";
  await publisher.publish(page.view);
  assert.deepEqual(page.published, ["/layers?part=lens", "/?layer=2"]);
});

test("the parameters of a visit are not part of the view", () => {
  const view = "/layers?text=a&lang=zh&present=1&lesson=03&room=1";
  // The teacher's lesson is part of the view: the class follows to the step.
  assert.equal(viewOf(view), "/layers?text=a&lesson=03");
  const address = addressOf(view, "?lang=en&room=9&x=1&lesson=masks.2");
  assert.equal(address, "/layers?text=a&lesson=03&lang=en");
  assert.ok(sameView("/layers?a=1&b=2&lang=en", "/layers/?b=2&a=1"));
  assert.ok(!sameView("/layers?a=1", "/heads?a=1"));
});

class FakeSocket {
  static OPEN = 1;
  static CONNECTING = 0;
  static all = /** @type {FakeSocket[]} */ ([]);

  /** @param {string} url @param {string} token as the subprotocol */
  constructor(url, token) {
    this.url = url;
    this.token = token;
    this.readyState = 1;
    this.onclose = () => {};
    this.onmessage = (/** @type {{ data: string }} */ _event) => {};
    FakeSocket.all.push(this);
  }

  close() {
    this.readyState = 3;
  }

  /** @param {object} message */
  receive(message) {
    this.onmessage({ data: JSON.stringify(message) });
  }
}

/** @param {string} code */
function connectTo(code) {
  FakeSocket.all = [];
  Object.assign(globalThis, {
    WebSocket: FakeSocket,
    window: Object.assign(new EventTarget(), { location: { href: "http://a:1/b/classroom" } }),
    document: Object.assign(new EventTarget(), { visibilityState: "visible" }),
  });
  /** @type {(string | number)[]} */
  const events = [];
  const connection = new RoomConnection(
    code,
    "secret",
    (room) => events.push(room.change),
    (state) => events.push(state),
  );
  return { events, connection, sockets: FakeSocket.all };
}

test("a connection sends its token, has one socket, and reconnects unless it is refused", () => {
  mock.timers.enable({ apis: ["setTimeout", "setInterval", "Date"] });
  const { events, connection, sockets } = connectTo("12345678");
  assert.equal(sockets[0].url, "ws://a:1/b/api/rooms/12345678/live");
  assert.equal(sockets[0].token, "secret");
  sockets[0].receive({ role: "student", change: 3 });
  sockets[0].receive({ ping: true });
  assert.deepEqual(events.splice(0), ["connected", 3]);
  sockets[0].onclose();
  assert.deepEqual(events.splice(0), ["away"]);
  mock.timers.tick(500);
  assert.equal(sockets.length, 2);
  sockets[0].onclose(); // a late event of the first socket
  sockets[1].receive({ role: "student", change: 4 });
  assert.deepEqual(events.splice(0), ["connected", 4]);
  mock.timers.tick(60_000); // a silent socket: the network is gone
  assert.equal(sockets.length, 3);
  assert.equal(sockets[1].readyState, 3);
  connection.close();
  mock.timers.tick(60_000);
  assert.equal(sockets.length, 3);
  const refused = connectTo("12345678");
  refused.sockets[0].receive({ error: "unknown" });
  refused.sockets[0].onclose();
  mock.timers.tick(60_000);
  globalThis.window.dispatchEvent(new Event("online"));
  assert.deepEqual([refused.events, refused.sockets.length], [["refused"], 1]);
  refused.connection.close();
  mock.timers.reset();
});

test("a number at the edge of its tolerance is right, as on the server", () => {
  const truth = { value: 0.58, tolerance: 0.05 };
  assert.deepEqual(
    [0.53, 0.63, 0.64].map((answer) => isRight(truth, answer)),
    [true, true, false],
  );
});
