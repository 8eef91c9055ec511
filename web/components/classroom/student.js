// A student in a room: follows the teacher's view and answers questions.

import { AnswerOutbox } from "./answer_outbox.js";
import { callApi } from "./api.js";
import { button, element, message } from "./dom.js";
import {
  clearDraft,
  forgetRoom,
  leaveRoom,
  membershipOf,
  readDraft,
  saveDraft,
  updateMembership,
} from "./membership.js";
import { LessonWork, openPlan, stepsInWords } from "./lesson_work.js";
import { Participant } from "./participant.js";
import { Pause } from "./pause.js";
import { currentView, openView, sentenceOf, typedIn, viewWithTyped } from "./view_links.js";

export class Student extends Participant {
  /** @param {HTMLElement} root @param {string} code @param {Membership} membership */
  constructor(root, code, membership) {
    super(root, code, membership);
    this.mode = element("span.way");
    this.toggle = button("", () => this.toggleFollowing(), { className: "main" });
    const leave = () => (this.isOver ? forgetRoom(code) : leaveRoom());
    this.ownButton = button("", () => this.returnToOwn());
    this.go = button(message("own_go"), () => {
      this.consent = "given";
      this.draw();
    });
    this.toLesson = button(message("to_lesson"), () => this.work.openStep(this.work.newestView()), {
      className: "main",
    });
    this.bar.append(
      this.mode,
      this.back,
      this.toLesson,
      this.go,
      this.toggle,
      this.ownButton,
      button(message("leave"), leave),
    );
    /** The teacher has closed a question that this student had not answered. */
    this.missed = false;
    /** The newest own view that the teacher's view has replaced. */
    this.own = /** @type {string | null} */ (null);
    /** What views contained that the student did not choose; "" is nothing. */
    this.foreign = new Set([""]);
    /** Whether the teacher's view may replace what this student typed: asked once. */
    this.consent = /** @type {"" | "asked" | "given"} */ ("");
    /** The student has chosen not to follow; the teacher's switch can change that. */
    this.free = membership.free ?? false;
    this.wasFree = false;
    this.outbox = new AnswerOutbox(
      {
        read: () => membershipOf(code)?.answers ?? {},
        write: (answers) => updateMembership(code, { answers }),
      },
      (key, answer) => {
        const [id, round] = key.split(".").map(Number);
        const body = { round, answer };
        return callApi(`/${code}/questions/${id}/answer`, { token: this.token, body });
      },
      () => this.draw(),
    );
    this.pause = new Pause(/** @type {HTMLDialogElement} */ (root.querySelector("dialog.pause")));
    this.work = new LessonWork(code, this.token, (view, opened) => {
      this.own = this.ownView(view, opened || this.follower.opened) ?? this.own;
    });
    const { signal } = this.removed;
    window.addEventListener("online", () => this.outbox.flush(), { signal });
    this.draw();
  }

  /** @param {RoomState} room */
  receive(room) {
    const before = /** @type {Participant} */ (this).room?.question;
    const { question } = room;
    this.room = room;
    this.missed = !question && (this.missed || (before?.state === "open" && !this.given(before)));
    if (question && (question.answered ?? null) !== null) {
      this.outbox.acknowledge(keyOf(question), question.answered);
    }
    if (question?.state !== "open" || this.given(question)) clearDraft(this.code);
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

  poll() {
    // An open question is about the current view.
    if (!this.room || this.room.ended || this.room.question?.state === "open") return;
    this.work.poll();
    this.offerLesson();
    const locked = this.room.mode === "locked";
    if (!this.isFree && this.mayReplace(locked)) this.follower.poll(locked);
  }

  /**
   * Whether the teacher's view may replace what this browser shows. What the student typed is
   * stored for the way back, and the first time, the student is asked.
   *
   * @param {boolean} locked
   */
  mayReplace(locked) {
    const { pending, opened } = this.follower;
    if (pending === undefined) return true;
    const own = this.ownView(pending, opened);
    if (own === null) return true;
    if (!locked && this.consent !== "given") {
      if (this.consent === "") {
        this.consent = "asked";
        this.draw();
      }
      return false;
    }
    this.own = own;
    this.draw();
    return true;
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
    this.own = null;
    if (!this.isFree) this.toggleFollowing();
    openView(own);
  }

  /** Offer the way to the lesson from other pages, also when the student has gone there since. */
  offerLesson() {
    this.toLesson.hidden = !openPlan(this.room) || this.work.isAtOpenStep();
  }

  toggleFollowing() {
    if (this.consent === "asked") this.consent = "";
    this.setFree(!this.free);
    this.wasFree = this.free;
    if (this.free) this.follower.pause();
    else this.follower.resume();
    this.draw();
  }

  /** @param {RoomQuestion} question @param {any} answer */
  answer(question, answer) {
    this.outbox.add(keyOf(question), answer);
    clearDraft(this.code);
  }

  /** @param {RoomQuestion} question */
  given(question) {
    return this.outbox.get(keyOf(question));
  }

  /** @param {RoomQuestion} question */
  draft(question) {
    return readDraft(this.code, question);
  }

  /** @param {RoomQuestion} question @param {any} answer */
  saveDraft(question, answer) {
    saveDraft(this.code, question, answer);
  }

  /** @param {string} address */
  test(address) {
    this.dialog.hide();
    if (!this.isFree) this.toggleFollowing();
    openView(address);
  }

  draw() {
    const { room, isOver } = this;
    const locked = room?.mode === "locked";
    const connection = message(`line_${this.connection}`);
    this.setStatus(connection);
    const plan = isOver ? null : openPlan(room);
    const mode = plan ? stepsInWords(plan) : message(followingMode(this.free, room));
    this.mode.textContent = isOver
      ? ""
      : this.missed
        ? `${message("question_closed")} ${mode}`
        : mode;
    const asked = this.consent === "asked" && !this.isFree && !locked;
    if (asked && !isOver) this.mode.textContent = message("own_asked");
    this.toggle.textContent = message(this.free ? "rejoin" : asked ? "own_stay" : "break_away");
    this.toggle.hidden = isOver || locked || room?.mode === "free";
    this.go.hidden = isOver || !asked;
    this.offerLesson();
    this.pause.show(isOver ? null : (room?.paused ?? null));
    this.ownButton.textContent = message(sentenceOf(this.own ?? "") ? "own_sentence" : "own_page");
    this.ownButton.hidden = isOver || locked || this.own === null;
    this.showQuestion(connection);
  }

  remove() {
    this.outbox.close();
    this.work.remove();
    this.pause.show(null);
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
