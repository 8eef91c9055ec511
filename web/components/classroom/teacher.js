// The teacher in a room: publishes the view, locks it, asks questions and reveals answers.

import { callApi, errorMessage } from "./api.js";
import { button, element, message } from "./dom.js";
import { forgetRoom } from "./membership.js";
import { Participant } from "./participant.js";
import { QuestionForm } from "./question_form.js";
import { addQuestions } from "./saved_questions.js";
import {
  currentView,
  isShareable,
  openRoomPage,
  openView,
  pageIsIdle,
  sameView,
} from "./view_links.js";
import { ViewPublisher } from "./view_sync.js";

export class Teacher extends Participant {
  /** @param {HTMLElement} root @param {string} code @param {Membership} membership */
  constructor(root, code, membership) {
    super(root, code, membership);
    const page = element("a", { href: "/classroom", target: "_self" }, message("desk"));
    page.onclick = (/** @type {Event} */ event) => {
      event.preventDefault();
      openRoomPage(code);
    };
    this.controls = {
      ask: button(message("ask"), () => this.openForm(), { className: "main" }),
      lock: button("", () => this.post("/lock", { locked: !this.room?.locked })),
      page,
      leave: button(message("leave"), () => forgetRoom(code)),
    };
    this.bar.add(...Object.values(this.controls));
    this.error = "";
    this.publisher = new ViewPublisher({
      currentView,
      isIdle: pageIsIdle,
      send: (view) => this.post("/view", { address: view }),
    });
    const dialog = /** @type {HTMLDialogElement} */ (root.querySelector("dialog.question-form"));
    this.form = new QuestionForm(
      dialog,
      (question) => this.ask(question),
      (question) => addQuestions([question]),
    );
    window.addEventListener("headlight-ask", ({ detail }) => this.askSaved(detail), {
      signal: this.removed.signal,
    });
    this.draw();
  }

  /** @param {RoomState} room */
  receive(room) {
    this.publisher.receive(room.view);
    super.receive(room);
  }

  poll() {
    if (this.room && !this.room.ended) this.publisher.poll();
  }

  /** @param {string} path @param {object} [body] */
  async post(path, body = {}) {
    const response = await callApi(`/${this.code}${path}`, { token: this.token, body });
    this.error = errorMessage(response);
    this.draw();
    return response;
  }

  async openForm() {
    const view = currentView();
    const path = `/${this.code}/about?view=${encodeURIComponent(view)}`;
    const { status, body } = isShareable(view)
      ? await callApi(path, { token: this.token, method: "GET" })
      : { status: 0, body: {} };
    this.form.open(view, status === 200 ? body : {});
  }

  /**
   * @param {SavedQuestion} question
   * @returns {Promise<string>} the error in words, or ""
   */
  async ask(question) {
    return errorMessage(await this.post("/questions", question));
  }

  /**
   * Ask a saved question about its own view, which everyone opens.
   *
   * @param {AskRequest} request
   */
  async askSaved({ question, done }) {
    const view = question.view || "/";
    if (isShareable(view) && !sameView(view, currentView())) {
      openView(view);
      await this.publisher.publish(view);
    }
    done(await this.ask({ ...question, view }));
  }

  /** @param {RoomQuestion} question @param {"reveal" | "again" | "close"} action */
  lead({ id }, action) {
    this.post(`/questions/${id}/${action}`);
  }

  /** @param {string} address @param {RoomQuestion} question */
  async test(address, { id }) {
    await this.post(`/questions/${id}/close`);
    openView(address);
  }

  draw() {
    const { room, isOver, controls } = this;
    const connection = this.connection === "connected" ? "" : message(`line_${this.connection}`);
    const count = room && !isOver ? message("connected", { count: room.connected ?? 0 }) : "";
    const status = [count, connection, this.error].filter(Boolean).join(" · ");
    this.bar.setStatus(status, this.connection);
    controls.lock.textContent = message(room?.locked ? "unlock" : "lock");
    controls.lock.hidden = controls.ask.hidden = isOver || !room;
    controls.leave.hidden = !isOver;
    if (isOver) controls.page.textContent = message("summary");
    this.dialog.show(isOver ? null : room, connection);
  }

  remove() {
    this.form.close();
    super.remove();
  }
}
