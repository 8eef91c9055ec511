// A student in a room: goes where the teacher is, or not; answers, once a round.

import { askRooms } from "./asking.js";
import { make, pressed } from "./bits.js";
import { Follower } from "./follow.js";
import { draftOf, forgetRoom, keepDraft, keepOf, leaveRoom, memberOf } from "./kept.js";
import { goTo, pageAtRest, viewHere } from "./places.js";
import { Sheet } from "./sheet.js";
import { over, Strip } from "./strip.js";
import { Unsent } from "./unsent.js";

export class Student {
  /**
   * @param {HTMLElement} root
   * @param {Record<string, string>} words
   * @param {string} code
   * @param {import("./kept.js").Membership} member
   */
  constructor(root, words, code, member) {
    this.words = words;
    this.code = code;
    this.free = member.free ?? false;
    this.room = /** @type {RoomState | null} */ (null);
    this.line = /** @type {LineState} */ ("connecting");
    this.ended = new AbortController();
    this.follower = new Follower({
      here: viewHere,
      go: goTo,
      atRest: pageAtRest,
      now: () => performance.now(),
    });
    this.unsent = new Unsent(
      {
        read: () => memberOf(code)?.answers ?? {},
        write: (answers) => keepOf(code, { answers }),
      },
      (id, round, answer) =>
        askRooms(`/${code}/questions/${id}/answer`, {
          token: member.token,
          body: { round, answer },
        }),
      () => this.draw(),
    );
    window.addEventListener("online", () => this.unsent.goOn(), { signal: this.ended.signal });
    this.build(root);
    this.draw();
  }

  /** @param {HTMLElement} root */
  build(root) {
    const { words } = this;
    this.way = make("span", { className: "way" });
    this.turn = pressed("", () => this.turnAway(), { className: "main" });
    const leave = pressed(words.leave, () => this.leave());
    this.strip = new Strip(root, words, this.code, this.way, this.turn, leave);
    this.sheet = new Sheet(root.querySelector("dialog.asked"), words, {
      answer: (answer) => this.answer(answer),
      lead: () => {},
      test: (address) => this.test(address),
      given: (question) => this.given(question),
      draft: (question) => draftOf(this.code, question),
      drafted: (question, answer) => keepDraft(this.code, question, answer),
    });
  }

  /** @param {RoomState} room */
  hear(room) {
    this.room = room;
    const { question } = room;
    if (question && question.answered !== null && question.answered !== undefined) {
      this.unsent.arrived(question.id, question.round, question.answered);
    }
    if (question?.state !== "open" || this.given(question)) keepDraft(this.code);
    this.unsent.goOn();
    this.follower.hear(room.view, room.change);
    if (this.free && !room.locked) this.follower.part();
    else if (this.wasFree) this.follower.rejoin(); // it has been locked
    this.wasFree = this.free && !room.locked;
    this.draw();
  }

  /** @param {LineState} line */
  lineIs(line) {
    this.line = line;
    this.draw();
  }

  /** To be called some times a second. */
  look() {
    // While a question is open, the view stays what it is about.
    if (!this.room || this.room.ended || this.room.question?.state === "open") return;
    if (!this.free || this.room.locked) this.follower.look(this.room.locked);
  }

  turnAway() {
    this.free = !this.free;
    this.wasFree = this.free;
    keepOf(this.code, { free: this.free });
    if (this.free) this.follower.part();
    else this.follower.rejoin();
    this.draw();
  }

  leave() {
    if (over(this.line)) forgetRoom(this.code);
    else leaveRoom();
  }

  /** @param {any} answer */
  answer(answer) {
    const { id, round } = this.room.question;
    this.unsent.give(id, round, answer);
    keepDraft(this.code);
  }

  /** @param {RoomQuestion} question */
  given({ id, round }) {
    return this.unsent.of(id, round);
  }

  /** @param {string} address */
  test(address) {
    this.sheet.dismiss();
    if (!this.free) this.turnAway();
    goTo(address);
  }

  draw() {
    const { words, room, line } = this;
    if (!this.strip) return;
    const locked = room?.locked ?? false;
    const connection = words[`line_${line}`];
    this.strip.say(connection, line);
    const out = over(line);
    this.way.textContent = out ? "" : words[way(locked, this.free, room)];
    this.turn.textContent = this.free ? words.rejoin : words.break_away;
    this.turn.hidden = out || locked;
    this.sheet.show(out ? null : room, connection);
  }

  end() {
    this.ended.abort();
    this.unsent.end();
    this.sheet.show(null, "");
    this.strip.end();
  }
}

/**
 * @param {boolean} locked
 * @param {boolean} free
 * @param {RoomState | null} room
 */
function way(locked, free, room) {
  if (locked) return "locked";
  if (free) return "free";
  return room && room.view === null ? "no_view" : "following";
}
