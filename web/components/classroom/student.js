// A student in a room: follows the teacher's view and answers questions.

import { AnswerOutbox } from "./answer_outbox.js";
import { callApi } from "./api.js";
import { button, build, message } from "./dom.js";
import { enterRoom, forgetRoom } from "./membership.js";
import { LessonWork, openPlan, stepsInWords } from "./lesson_work.js";
import { Participant } from "./participant.js";
import { voteOf } from "./question_dialog.js";

export class Student extends Participant {
  /** @param {HTMLElement} root @param {string} code @param {Membership} membership */
  constructor(root, code, membership) {
    super(root, code, membership);
    this.mode = build("span.way");
    const leave = () => (this.isOver ? forgetRoom(code) : enterRoom(null));
    this.bar.append(this.mode, this.back, button(message("leave"), leave));
    const send = (/** @type {string} */ key, /** @type {any} */ answer) => {
      const [id, round] = key.split(".").map(Number);
      const body = { round, answer };
      return callApi(`/${code}/questions/${id}/answer`, { token: this.token, body });
    };
    const { signal } = this.removed;
    this.outbox = new AnswerOutbox(code, "answers", send, () => this.draw(), signal);
    this.work = new LessonWork(code, this.token, signal);
    this.draw();
  }

  /** @param {RoomState} room */
  receive(room) {
    const { question } = room;
    this.room = room;
    if (question && question.answered !== null) {
      this.outbox.acknowledge(voteOf(question), question.answered);
    }
    this.outbox.flush();
    this.follower.receive(room.view, room.change);
    this.follower.free(room.mode === "free");
    this.work.receive(room);
    this.draw();
  }

  /** Called several times a second. */
  poll() {
    if (!this.room || this.room.ended || !this.mayFollow) return;
    this.work.poll();
    if (this.room.mode !== "free") this.follower.poll();
  }

  /** @param {RoomQuestion} question @param {any} answer */
  answer(question, answer) {
    this.outbox.add(voteOf(question), answer);
  }

  /** @param {RoomQuestion} question */
  given(question) {
    return this.outbox.get(voteOf(question));
  }

  draw() {
    const { room, isOver } = this;
    const plan = isOver ? null : openPlan(room);
    const mode = plan ? stepsInWords(plan) : message(room?.mode === "free" ? "apart" : "following");
    this.mode.textContent = isOver ? "" : mode;
    const connection = message(`line_${this.connection}`);
    this.show(connection, connection);
  }
}
