// A student in a room: follows the teacher's view and answers questions.

import { AnswerOutbox } from "./answer_outbox.js";
import { callApi } from "./api.js";
import { button, element, message } from "./dom.js";
import { forgetRoom, leaveRoom, updateMembership } from "./membership.js";
import { LessonWork, openPlan, stepsInWords } from "./lesson_work.js";
import { Participant } from "./participant.js";

export class Student extends Participant {
  /** @param {HTMLElement} root @param {string} code @param {Membership} membership */
  constructor(root, code, membership) {
    super(root, code, membership);
    this.mode = element("span.way");
    this.toggle = button("", () => this.toggleFollowing(), { className: "main" });
    const leave = () => (this.isOver ? forgetRoom(code) : leaveRoom());
    this.toLesson = button(message("to_lesson"), () => this.work.openStep(this.work.newestView()), {
      className: "main",
    });
    this.bar.append(
      this.mode,
      this.back,
      this.toLesson,
      this.toggle,
      button(message("leave"), leave),
    );
    /** The student has chosen not to follow; the teacher's switch can change that. */
    this.free = membership.free ?? false;
    this.wasFree = false;
    const send = (/** @type {string} */ key, /** @type {any} */ answer) => {
      const [id, round] = key.split(".").map(Number);
      const body = { round, answer };
      return callApi(`/${code}/questions/${id}/answer`, { token: this.token, body });
    };
    this.outbox = new AnswerOutbox(code, "answers", send, () => this.draw());
    this.work = new LessonWork(code, this.token);
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
    return this.room?.mode === "free" || this.free;
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
    if (!this.isFree) this.follower.poll();
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
    const connection = message(`line_${this.connection}`);
    this.setStatus(connection);
    const plan = isOver ? null : openPlan(room);
    const mode = plan ? stepsInWords(plan) : message(followingMode(this.free, room));
    this.mode.textContent = isOver ? "" : mode;
    this.toggle.textContent = message(this.free ? "rejoin" : "break_away");
    this.toggle.hidden = isOver || room?.mode === "free";
    this.offerLesson();
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
  if (room?.mode === "free") return "apart";
  return free ? "free" : "following";
}

/** @param {{ id: number, round: number }} question */
function keyOf({ id, round }) {
  return `${id}.${round}`;
}
