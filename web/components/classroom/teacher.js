// The teacher in a room: publishes the view, locks it, asks questions and reveals answers.

import { callApi, collectedBody, errorMessage } from "./api.js";
import { presenting } from "../common/stage.js";
import { Comparison } from "./comparison.js";
import { button, element, message } from "./dom.js";
import { stepsInWords } from "./lesson_work.js";
import { isPrivate, leaveRoom, setPrivate } from "./membership.js";
import { Participant } from "./participant.js";
import { askPause } from "./pause.js";
import { QuestionForm } from "./question_form.js";
import { addQuestions, isAsked, markAsked, savedQuestions } from "./saved_questions.js";
import {
  currentView,
  isShareable,
  openRoomPage,
  openView,
  pageIsIdle,
  sameView,
  sentenceOf,
} from "./view_links.js";
import { ViewFollower, ViewPublisher } from "./view_sync.js";

const ASK_KEY = "q"; // during a presentation

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
      showAll: button(message("show_all"), () => this.setPrivate(false), { className: "main" }),
      toClass: button(message("to_class"), () => this.returnToClass()),
      ask: button(message("ask"), () => this.openForm(), { className: "main" }),
      next: button("", () => this.askNext()),
      lock: button("", () => this.post("/switches", { locked: !this.room?.locked })),
      apart: button("", () => this.post("/switches", { apart: !this.room?.apart })),
      stepBack: button("◂", () => this.move(-1), { ariaLabel: message("step_back") }),
      step: element("span"),
      stepOn: button("▸", () => this.move(1), { ariaLabel: message("step_on") }),
      pause: button("", () => this.pause()),
      collect: button(message("collect"), () => this.collectPage()),
      page,
      // The results stay: this browser keeps the token.
      leave: button(message("leave"), leaveRoom),
    };
    /** This tab shows a student's view, which the class does not follow. */
    this.isPrivate = isPrivate(code);
    const compared = /** @type {HTMLDialogElement} */ (root.querySelector("dialog.side-by-side"));
    this.comparison = new Comparison(compared, {
      draw: () => this.draw(),
      close: () => this.post("/compared", { items: [] }),
    });
    /** Shows the comparison again that this browser has hidden to look at the page. */
    this.toComparison = button(message("to_comparison"), () => this.comparison.restore(), {
      className: "main",
    });
    this.bar.add(this.back, this.toComparison, ...Object.values(this.controls));
    this.error = "";
    this.publisher = new ViewPublisher({
      currentView,
      isIdle: pageIsIdle,
      send: (view) => this.post("/view", { address: view }),
    });
    // A second device of the teacher, such as a projector, follows the first.
    this.follower = new ViewFollower({
      currentView,
      open: openView,
      isIdle: pageIsIdle,
      now: () => performance.now(),
    });
    const dialog = /** @type {HTMLDialogElement} */ (root.querySelector("dialog.question-form"));
    this.form = new QuestionForm(
      dialog,
      (question) => this.ask(question),
      (question) => addQuestions([question]),
    );
    const { signal } = this.removed;
    window.addEventListener("headlight-ask", ({ detail }) => this.askSaved(detail), { signal });
    window.addEventListener("headlight-private", () => this.setPrivate(true), { signal });
    const restore = (/** @type {CustomEvent<string>} */ { detail }) =>
      this.comparison.restore(detail);
    window.addEventListener("headlight-compare", restore, { signal });
    for (const name of ["headlight-questions", "headlight-present"])
      window.addEventListener(name, () => this.draw(), { signal });
    const onKey = (/** @type {KeyboardEvent} */ event) => {
      const typing = event.composedPath()[0] instanceof HTMLInputElement;
      if (presenting() && event.key === ASK_KEY && !typing && !this.dialog.dialog.open)
        this.openForm();
    };
    window.addEventListener("keydown", onKey, { signal });
    this.draw();
  }

  /** @param {RoomState} room */
  receive(room) {
    const isOther = !this.publisher.receive(room.view);
    if (isOther && !this.isPrivate && isShareable(currentView()))
      this.follower.receive(room.view, room.change);
    super.receive(room);
  }

  poll() {
    if (!this.room || this.room.ended) return;
    if (this.controls.collect.hidden === isShareable(currentView())) this.draw();
    if (this.isPrivate) return;
    if (this.follower.pending === undefined) this.publisher.poll();
    else if (this.room.question?.state !== "open") this.follower.poll(false);
  }

  /** @param {boolean} on */
  setPrivate(on) {
    this.isPrivate = on;
    setPrivate(this.code, on);
    if (on) this.follower.pause();
    this.draw();
  }

  /** Open the view that the class follows. */
  returnToClass() {
    openView(this.room?.view ?? "/");
    this.setPrivate(false);
  }

  /** @param {string} path @param {object} [body] */
  async post(path, body = {}) {
    const response = await callApi(`/${this.code}${path}`, { token: this.token, body });
    this.error = errorMessage(response);
    this.draw();
    return response;
  }

  /** Move the class to the next open step of the lesson, or back. @param {1 | -1} by */
  async move(by) {
    const plan = this.room?.plan;
    if (!plan) return;
    const step = (by > 0 ? plan.last : plan.first) + by;
    const body = { lesson: plan.lesson, first: step, last: step };
    const { status } = await this.post("/plan", body);
    // The projector shows the step that the class works on.
    if (status !== 200) return;
    if (isShareable(currentView())) openView(plan.views[step - 1]);
    this.setPrivate(false);
  }

  pause() {
    const text = this.room ? askPause(this.room) : undefined;
    if (text !== undefined) this.post("/pause", { message: text });
  }

  openForm() {
    const view = currentView();
    return this.form.open(isShareable(view) ? view : "/");
  }

  /**
   * @param {SavedQuestion} question
   * @returns {Promise<string>} the error in words, or ""
   */
  async ask(question) {
    const error = errorMessage(await this.post("/questions", question));
    // The class needs the view of the question.
    if (!error) this.setPrivate(false);
    return error;
  }

  /**
   * Ask a saved question about its own view, which everyone opens.
   *
   * @param {AskRequest} request
   */
  async askSaved({ question, done }) {
    const view = question.view || "/";
    const error = await this.ask({ ...question, view });
    if (!error) markAsked(this.code, question);
    // If the question is refused, nobody is moved.
    if (!error && isShareable(view) && !sameView(view, currentView())) {
      openView(view);
      await this.publisher.publish(view);
    }
    done(error);
  }

  /** @returns {number} place of the first prepared question that was not asked; -1 without one */
  nextPlace() {
    return savedQuestions().findIndex((question) => !isAsked(this.code, question));
  }

  /** Ask the next of the prepared questions. */
  askNext() {
    const done = (/** @type {string} */ error) => {
      this.error = error;
      this.draw();
    };
    this.askSaved({ question: savedQuestions()[this.nextPlace()], done });
  }

  collectPage() {
    const view = currentView();
    const [page] = document.title.split(" · ");
    this.collect([page, sentenceOf(view)].filter(Boolean).join(" · "), { view });
  }

  /** @param {string} label @param {{ view: string } | { question: number, answer?: number }} what */
  async collect(label, what) {
    await this.post("/collected", collectedBody(label, what));
    this.error ||= message("collected");
    this.draw();
  }

  /** @param {RoomQuestion} question */
  collectResults({ id, prompt }) {
    this.collect(prompt, { question: id });
  }

  /** @param {RoomQuestion} question @param {import("./question_dialog.js").Action} action */
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
    const isPrivate = this.isPrivate && !isOver && isShareable(currentView());
    const hidden = isPrivate ? message("private") : "";
    const status = [hidden, count, connection, this.error].filter(Boolean).join(" · ");
    this.bar.setStatus(status, this.connection);
    controls.showAll.hidden = controls.toClass.hidden = !isPrivate;
    controls.lock.textContent = message(room?.locked ? "unlock" : "lock");
    controls.apart.textContent = message(room?.apart ? "together" : "apart_all");
    const plan = room && !isOver ? room.plan : null;
    if (plan) {
      const { first, last, views } = plan;
      controls.step.textContent = stepsInWords(plan);
      controls.stepBack.disabled = first === 1;
      controls.stepOn.disabled = last === views.length;
      if (!room?.apart) controls.apart.textContent = message("to_steps");
    }
    controls.stepBack.hidden = controls.step.hidden = controls.stepOn.hidden = !plan;
    controls.pause.textContent = message((room?.paused ?? null) === null ? "pause" : "unpause");
    controls.pause.hidden = isOver || !room;
    controls.lock.hidden = controls.apart.hidden = controls.ask.hidden = isOver || !room;
    const next = this.nextPlace();
    const place = { number: next + 1, count: savedQuestions().length };
    controls.next.textContent = message("ask_next", place);
    controls.next.hidden = isOver || !room || next < 0;
    controls.collect.hidden = isOver || !room || !isShareable(currentView());
    controls.leave.hidden = !isOver;
    if (isOver) controls.page.textContent = message("summary");
    // The sheet of a question covers the bar.
    this.showQuestion([connection, this.error].filter(Boolean).join(" · "));
    this.comparison.show((!isOver && room?.compared) || []);
    this.toComparison.hidden = !this.comparison.isHidden;
  }

  remove() {
    this.form.close();
    this.comparison.show([]);
    super.remove();
  }
}
