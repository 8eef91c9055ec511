// A student in a room: follows the teacher's view and answers questions.

import { AnswerOutbox } from "./answer_outbox.js";
import { callApi } from "./api.js";
import { button, element, message } from "./dom.js";
import { forgetRoom, leaveRoom, updateMembership } from "./membership.js";
import { LessonWork, openPlan, stepsInWords } from "./lesson_work.js";
import { Participant } from "./participant.js";
import { currentView, openView, sentenceOf, typedIn, viewWithTyped } from "./view_links.js";

export class Student extends Participant {
  /** @param {HTMLElement} root @param {string} code @param {Membership} membership */
  constructor(root, code, membership) {
    super(root, code, membership);
    this.mode = element("span.way");
    this.toggle = button("", () => this.toggleFollowing(), { className: "main" });
    const leave = () => (this.isOver ? forgetRoom(code) : leaveRoom());
    this.ownButton = button("", () => this.returnToOwn());
    this.toLesson = button(message("to_lesson"), () => this.work.openStep(this.work.newestView()), {
      className: "main",
    });
    this.bar.append(
      this.mode,
      this.back,
      this.toLesson,
      this.toggle,
      this.ownButton,
      button(message("leave"), leave),
    );
    /** The newest own view that the teacher's view has replaced. */
    this.own = /** @type {string | null} */ (null);
    /** What views contained that the student did not choose; "" is nothing. */
    this.foreign = new Set([""]);
    /** The student has chosen not to follow; the teacher's switch can change that. */
    this.free = membership.free ?? false;
    this.wasFree = false;
    const send = (/** @type {string} */ key, /** @type {any} */ answer) => {
      const [id, round] = key.split(".").map(Number);
      const body = { round, answer };
      return callApi(`/${code}/questions/${id}/answer`, { token: this.token, body });
    };
    this.outbox = new AnswerOutbox(code, "answers", send, () => this.draw());
    this.work = new LessonWork(code, this.token, (view, opened) => {
      this.setOwn(this.ownView(view, opened || this.follower.opened) ?? this.own);
    });
    this.draw();
  }

  /** @param {RoomState} room */
  receive(room) {
    const { question } = room;
    this.room = room;
    if (question && (question.answered ?? null) !== null) {
      this.outbox.acknowledge(keyOf(question), question.answered);
    }
    this.outbox.flush();
    this.follower.receive(room.view, room.change);
    if (room.mode === "free" && this.free) this.setFree(false); // later, everybody follows again
    if (this.isFree) this.follower.pause();
    else if (this.wasFree) this.follower.resume();
    this.wasFree = this.isFree;
    this.work.receive(room);
    this.draw();
  }

  /** Whether this student does not follow, by the teacher's switch or by choice. */
  get isFree() {
    const mode = this.room?.mode;
    return mode === "free" || (this.free && mode !== "locked");
  }

  /** @param {boolean} free */
  setFree(free) {
    this.free = free;
    updateMembership(this.code, { free });
  }

  /** Called several times a second. */
  poll() {
    if (!this.room || this.room.ended || !this.mayFollow) return;
    this.work.poll();
    this.offerLesson();
    if (this.isFree) return;
    this.keepOwn();
    this.follower.poll(this.room.mode === "locked");
  }

  /** Store what the student typed before the teacher's view replaces it. */
  keepOwn() {
    const { pending, opened } = this.follower;
    const own = pending === undefined ? null : this.ownView(pending, opened);
    if (own !== null) this.setOwn(own);
  }

  /** @param {string | null} own */
  setOwn(own) {
    this.own = own;
    this.draw();
  }

  /**
   * @param {string} next the view that replaces this one
   * @param {string} [opened] the newest view that the student did not choose
   * @returns {string | null} this browser's view, if the student has typed something into it
   */
  ownView(next, opened = "") {
    this.foreign.add(typedIn(opened));
    const own = viewWithTyped() ?? currentView();
    const typed = typedIn(own);
    return this.foreign.has(typed) || typed === typedIn(next) ? null : own;
  }

  /** Open the student's own view again; the teacher's views no longer replace it. */
  returnToOwn() {
    const { own } = this;
    if (own === null) return;
    this.setOwn(null);
    if (!this.isFree) this.toggleFollowing();
    openView(own);
  }

  /** Offer the way to the lesson from other pages. */
  offerLesson() {
    this.toLesson.hidden = !openPlan(this.room) || this.work.isAtOpenStep();
  }

  toggleFollowing() {
    this.setFree(!this.free);
    this.wasFree = this.free;
    if (this.free) this.follower.pause();
    else this.follower.resume();
    this.draw();
  }

  /** @param {RoomQuestion} question @param {any} answer */
  answer(question, answer) {
    this.outbox.add(keyOf(question), answer);
  }

  /** @param {RoomQuestion} question */
  given(question) {
    return this.outbox.get(keyOf(question));
  }

  draw() {
    const { room, isOver } = this;
    const locked = room?.mode === "locked";
    const connection = message(`line_${this.connection}`);
    this.setStatus(connection);
    const plan = isOver ? null : openPlan(room);
    const mode = plan ? stepsInWords(plan) : message(followingMode(this.free, room));
    this.mode.textContent = isOver ? "" : mode;
    this.toggle.textContent = message(this.free ? "rejoin" : "break_away");
    this.toggle.hidden = isOver || locked || room?.mode === "free";
    this.offerLesson();
    this.ownButton.textContent = message(sentenceOf(this.own ?? "") ? "own_sentence" : "own_page");
    this.ownButton.hidden = isOver || locked || this.own === null;
    this.showQuestion(connection);
  }

  remove() {
    this.outbox.close();
    this.work.remove();
    super.remove();
  }
}

/** @param {boolean} free @param {RoomState | null} room @returns {string} the key of a message */
function followingMode(free, room) {
  if (room?.mode === "locked") return "locked";
  if (room?.mode === "free") return "apart";
  if (free) return "free";
  return room?.view === null ? "no_view" : "following";
}

/** @param {{ id: number, round: number }} question */
function keyOf({ id, round }) {
  return `${id}.${round}`;
}
