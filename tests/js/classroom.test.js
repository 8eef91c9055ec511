import assert from "node:assert/strict";
import { beforeEach, mock, test } from "node:test";

import { numberIn } from "../../pages/components/classroom/choices.js";
import { Follower } from "../../pages/components/classroom/follow.js";
import { optionsIn } from "../../pages/components/classroom/form.js";
import { Line } from "../../pages/components/classroom/line.js";
import { Leader } from "../../pages/components/classroom/leading.js";
import { ownAddress, sameView, viewOf } from "../../pages/components/classroom/places.js";
import {
  asFile,
  asFragment,
  fromFile,
  fromFragment,
} from "../../pages/components/classroom/prepared.js";
import { Unsent } from "../../pages/components/classroom/unsent.js";

// -- answers ------------------------------------------------------------------------------------

let shelf;
let answers;
let sent;

beforeEach(() => {
  answers = {};
  sent = [];
  shelf = { read: () => answers, write: (all) => (answers = all) };
});

const unsent = (reply) =>
  new Unsent(
    shelf,
    async (...what) => {
      sent.push(what);
      return reply(...what);
    },
    () => {},
  );

test("an answer that nobody took is kept, and sent again in its order", async () => {
  let there = false;
  const away = { status: 0, said: {} };
  const queue = unsent((_id, _round, answer) => (there ? { status: 200, said: { answer } } : away));
  queue.give(5, 1, 2);
  await new Promise(setImmediate);
  assert.deepEqual(answers, { 5.1: { answer: 2, state: "waiting" } });
  queue.end(); // a reload: another object, the same shelf
  there = true;
  const again = unsent((_id, _round, answer) => ({ status: 200, said: { answer } }));
  again.note(7, 2, { answer: [3, 1], state: "waiting" });
  await again.goOn();
  assert.deepEqual(sent.slice(1), [
    [5, 1, 2],
    [7, 2, [3, 1]],
  ]);
  assert.deepEqual(
    Object.values(answers).map(({ state }) => state),
    ["arrived", "arrived"],
  );
});

test("one answer a round: a second one is not taken, and the server's word holds", async () => {
  const queue = unsent(() => ({ status: 409, said: { answer: 4 } }));
  queue.give(5, 1, 2);
  queue.give(5, 1, 3);
  await new Promise(setImmediate);
  assert.deepEqual(sent, [[5, 1, 2]]);
  assert.deepEqual(queue.of(5, 1), { answer: 4, state: "arrived" });
  assert.equal(queue.of(5, 2), undefined);
});

test("what comes after the reveal is late; a server that is busy is asked again", async () => {
  const closed = unsent(() => ({ status: 409, said: { error: "closed" } }));
  closed.give(5, 1, 2);
  await new Promise(setImmediate);
  assert.equal(closed.of(5, 1).state, "late");
  for (const status of [0, 429, 503]) {
    const busy = unsent(() => ({ status, said: { error: "too_many" } }));
    busy.give(status, 1, 2);
    await new Promise(setImmediate);
    assert.equal(busy.of(status, 1).state, "waiting");
    busy.end();
  }
});

test("an answer that was given on another device has arrived", () => {
  const queue = unsent(() => assert.fail("nothing is to be sent"));
  queue.arrived(5, 1, [2, 0]);
  assert.deepEqual(queue.of(5, 1), { answer: [2, 0], state: "arrived" });
});

// -- following ----------------------------------------------------------------------------------

function browser() {
  const state = { view: "/?head=0", rest: true, time: 10_000, went: [] };
  const follower = new Follower({
    here: () => state.view,
    go: (view) => {
      state.went.push(view);
      state.view = view;
    },
    atRest: () => state.rest,
    now: () => state.time,
  });
  const look = (locked = false, later = 1_000) => {
    state.time += later;
    follower.look(locked);
  };
  return { state, follower, look };
}

test("the newest view wins, also where an older one comes late", () => {
  const { state, follower, look } = browser();
  follower.hear("/?head=2", 8);
  follower.hear("/?head=1", 7);
  look();
  assert.deepEqual(state.went, ["/?head=2"]);
  follower.hear("/?head=2", 8); // said again, with something else
  look();
  assert.equal(state.went.length, 1);
});

test("while a page is drawn the next view waits, and those between are left out", () => {
  const { state, follower, look } = browser();
  state.rest = false;
  follower.hear("/?head=1", 1);
  look(false, 300);
  follower.hear("/?head=2", 2);
  look(false, 300);
  assert.deepEqual(state.went, []);
  state.rest = true;
  look(false, 300);
  assert.deepEqual(state.went, ["/?head=2"]);
});

test("a page that is drawn for long does not hold a view for ever", () => {
  const { state, follower, look } = browser();
  state.rest = false;
  follower.hear("/?head=1", 1);
  look(false, 2_500);
  assert.deepEqual(state.went, ["/?head=1"]);
});

test("who is alone is not led, and comes back to where the teacher is by then", () => {
  const { state, follower, look } = browser();
  follower.hear("/?head=1", 1);
  follower.part();
  look();
  follower.hear("/?head=3", 2);
  follower.part();
  look();
  assert.deepEqual(state.went, []);
  follower.rejoin();
  look();
  assert.deepEqual(state.went, ["/?head=3"]);
});

test("whoever is locked is brought back, but not from what the page makes of the view", () => {
  const { state, follower, look } = browser();
  follower.hear("/layers?layer=9", 1);
  look(true);
  for (let i = 0; i < 3; i++) {
    state.view = "/layers?layer=5"; // the page has no layer 9
    look(true);
  }
  assert.deepEqual(state.went, ["/layers?layer=9", "/layers?layer=9"]);
  state.view = "/heads?part=map";
  look(true);
  assert.equal(state.view, "/layers?layer=9");
});

// -- leading ------------------------------------------------------------------------------------

test("a teacher's view is told once it has come to rest, and again where nobody heard", async () => {
  const told = [];
  const page = { view: "/layers", rest: false, status: 204 };
  const leader = new Leader({
    here: () => page.view,
    atRest: () => page.rest,
    tell: async (view) => {
      told.push(view);
      return { status: page.status };
    },
  });
  await leader.look();
  await leader.look();
  assert.deepEqual(told, []); // the room has not been heard of
  leader.hear(null);
  await leader.look();
  assert.deepEqual(told, []); // a page that is being entered
  page.view = "/layers?part=lens";
  await leader.look();
  page.status = 0;
  await leader.look();
  page.status = 204;
  await leader.look();
  await leader.look();
  assert.deepEqual(told, ["/layers?part=lens", "/layers?part=lens"]);
  page.view = "/classroom?room=1";
  await leader.look();
  await leader.look();
  assert.equal(told.length, 2);
});

test("what an address says of a visit stays the visitor's own", () => {
  const view = "/layers?text=a&lang=zh&present=1&lesson=03&room=1";
  assert.equal(viewOf(view), "/layers?text=a");
  assert.equal(ownAddress(view, "?lang=en&room=9&x=1"), "/layers?text=a&lang=en");
  assert.ok(sameView("/layers?a=1&b=2&lang=en", "/layers/?b=2&a=1"));
  assert.ok(!sameView("/layers?a=1", "/heads?a=1"));
});

// -- prepared questions -------------------------------------------------------------------------

const QUESTIONS = [
  { kind: "token", prompt: "Where does “it” <b>look</b>?", view: "/?text=é", query: 3 },
  { kind: "choice", prompt: "汉", view: "/layers", options: ["a", "b"], right: [1] },
];

test("questions come back from a file and from a link as they were", async () => {
  assert.deepEqual(fromFile(asFile(QUESTIONS)), QUESTIONS);
  const fragment = await asFragment(QUESTIONS);
  assert.match(fragment, /^questions=[\w-]+$/);
  assert.deepEqual(await fromFragment(`#${fragment}`), QUESTIONS);
});

test("what is no list of questions is refused whole", async () => {
  const strange = [
    "",
    "{}",
    '{"headlight-questions": 1, "questions": [1]}',
    asFile([{ kind: "token", prompt: "x", view: "//elsewhere.example/" }]),
    asFile([{ kind: "spell", prompt: "x", view: "/" }]),
  ];
  for (const text of strange) assert.equal(fromFile(text), null);
  assert.equal(await fromFragment("#questions=%%%"), null);
  assert.equal(await fromFragment("#teacher=x"), null);
});

// -- what is typed ------------------------------------------------------------------------------

test("a number is read with a comma or a point, and nothing else is one", () => {
  assert.deepEqual(
    [" 0,25", "-1.5", "−2", ".5", "1e-2"].map(numberIn),
    [0.25, -1.5, -2, 0.5, 0.01],
  );
  for (const text of ["", "1/4", "0x10", "Infinity", "1,2,3", "."]) {
    assert.equal(numberIn(text), undefined);
  }
});

test("options stand a line each, what is right behind a star", () => {
  assert.deepEqual(optionsIn("*a\n\n b \n * c\n*"), { options: ["a", "b", "c"], right: [0, 2] });
});

// -- the line -----------------------------------------------------------------------------------

class FakeSocket {
  static OPEN = 1;
  static CONNECTING = 0;
  static all = [];

  constructor(address) {
    Object.assign(this, { address, readyState: 1, said: [] });
    FakeSocket.all.push(this);
  }

  send(text) {
    this.said.push(text);
  }

  close() {
    this.readyState = 3;
  }

  hear(data) {
    this.onmessage({ data: JSON.stringify(data) });
  }
}

function lineTo(code) {
  FakeSocket.all = [];
  globalThis.WebSocket = FakeSocket;
  globalThis.window = Object.assign(new EventTarget(), { location: { origin: "http://a:1" } });
  globalThis.document = Object.assign(new EventTarget(), { visibilityState: "visible" });
  const heard = [];
  const line = new Line(
    code,
    "secret",
    (room) => heard.push(room.change),
    (is) => heard.push(is),
  );
  return { heard, line, sockets: FakeSocket.all };
}

test("a line says who it is, comes back by itself, and never twice at once", () => {
  mock.timers.enable({ apis: ["setTimeout", "setInterval", "Date"] });
  const { heard, line, sockets } = lineTo("12345678");
  assert.equal(sockets[0].address, "ws://a:1/api/rooms/12345678/live");
  sockets[0].onopen();
  assert.deepEqual(sockets[0].said, ['{"token":"secret"}']);
  sockets[0].hear({ role: "student", change: 3 });
  sockets[0].hear({ ping: true });
  assert.deepEqual(heard.splice(0), ["connected", 3]);
  sockets[0].onclose();
  assert.deepEqual(heard.splice(0), ["away"]);
  mock.timers.tick(500);
  assert.equal(sockets.length, 2);
  sockets[0].onclose(); // late, of a line that is no more
  sockets[1].hear({ role: "student", change: 4 });
  assert.deepEqual(heard.splice(0), ["connected", 4]);
  mock.timers.tick(60_000); // nobody has spoken: a network that went without a word
  assert.equal(sockets.length, 3);
  assert.equal(sockets[1].readyState, 3);
  line.end();
  mock.timers.tick(60_000);
  assert.equal(sockets.length, 3);
  mock.timers.reset();
});

test("a browser that a room does not know stops asking", () => {
  mock.timers.enable({ apis: ["setTimeout", "setInterval", "Date"] });
  const { heard, line, sockets } = lineTo("12345678");
  sockets[0].hear({ error: "unknown" });
  sockets[0].onclose();
  mock.timers.tick(60_000);
  globalThis.window.dispatchEvent(new Event("online"));
  assert.deepEqual([heard, sockets.length], [["refused"], 1]);
  line.end();
  mock.timers.reset();
});
