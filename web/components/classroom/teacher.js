// The teacher in a room: publishes the view, asks questions and reveals answers.

import { callApi, errorMessage } from "./api.js";
import { find } from "../common/find.js";
import { presenting } from "../common/stage.js";
import { button, build, message } from "./dom.js";
import { stepsInWords } from "./lesson_work.js";
import { enterRoom } from "./membership.js";
import { Participant } from "./participant.js";
import { QuestionForm } from "./question_form.js";
import { browser, covered, currentView, isShareable, openRoomPage } from "./view_links.js";
import { ViewPublisher } from "./view_sync.js";

export class Teacher extends Participant {
  /** @param {HTMLElement} root @param {string} code @param {Membership} membership */
  constructor(root, code, membership) {
    super(root, code, membership);
    const page = build("a", { href: "classroom", target: "_self" }, message("desk"));
    page.onclick = (/** @type {Event} */ event) => {
      event.preventDefault();
      openRoomPage(code);
    };
    const modes = ["follow", "free"].map((mode) => new Option(message(`mode_${mode}`), mode));
    this.mode = build("select", modes);
    this.mode.onchange = () => this.post("/mode", { mode: this.mode.value });
    this.controls = {
      ask: button(message("ask"), () => this.openForm(), { className: "main" }),
      mode: build("label", message("mode"), " ", this.mode),
      stepBack: button("◂", () => this.move(-1), { ariaLabel: message("step_back") }),
      step: build("span"),
      stepOn: button("▸", () => this.move(1), { ariaLabel: message("step_on") }),
      page,
      // The results stay: this browser keeps the token.
      leave: button(message("leave"), () => enterRoom(null)),
    };
    this.bar.append(this.back, ...Object.values(this.controls));
    this.error = "";
    const send = (/** @type {string} */ view) => this.post("/view", { address: view });
    this.publisher = new ViewPublisher({ ...browser, send });
    const dialog = find(root, "dialog.question-form", HTMLDialogElement);
    const ask = (/** @type {object} */ question) => this.post("/questions", question);
    this.form = new QuestionForm(dialog, async (question) => errorMessage(await ask(question)));
    // Not from the Room page, whose view is another one.
    dialog.onclose = () => isShareable(currentView()) && send(this.form.view);
    const { signal } = this.removed;
    signal.addEventListener("abort", () => dialog.close());
    for (const name of ["headlight-present", "resize"])
      window.addEventListener(name, () => this.draw(), { signal });
    this.draw();
  }

  /** @param {RoomState} room */
  receive(room) {
    if (this.error === message("error_away")) this.error = ""; // the server responds again
    const isOther = !this.publisher.receive(room.view);
    // A projector leaves the page with the join code for the first view.
    const follows = isShareable(currentView()) || presenting();
    if (isOther && follows) this.follower.receive(room.view, room.change);
    this.room = room;
    this.draw();
  }

  poll() {
    if (!this.room || this.room.ended) return;
    if (this.follower.pending === undefined) this.publisher.poll();
    else if (this.mayFollow) this.follower.poll();
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
    const step = (plan.step ?? 0) + by;
    const { status } = await this.post("/plan", { lesson: plan.lesson, step });
    // The projector shows the step that the class works on.
    if (status === 204 && isShareable(currentView())) browser.open(plan.views[step - 1]);
  }

  async openForm() {
    const shown = currentView();
    const view = isShareable(shown) ? shown : "/";
    if (view === shown) this.post("/view", { address: covered(view) });
    const path = `/${this.code}/about?view=${encodeURIComponent(view)}`;
    const { status, body } = await callApi(path, { token: this.token, method: "GET" });
    this.form.open(view, status === 200 ? body : {});
  }

  /** @param {RoomQuestion} question @param {import("./question_dialog.js").Action} action */
  lead({ id }, action) {
    this.post(`/questions/${id}/${action}`);
  }

  draw() {
    const { room, isOver, controls } = this;
    const connection = this.connection === "connected" ? "" : message(`line_${this.connection}`);
    const count = room && !isOver ? message("joined", { count: room.students ?? 0 }) : "";
    this.mode.value = room?.mode ?? "follow";
    const plan = room && !isOver ? room.plan : null;
    // A lesson has set the mode.
    const free = find(this.mode, "option[value=free]");
    free.textContent = message(plan ? "lesson_title" : "mode_free");
    if (plan) {
      const { answered: count = 0 } = room?.work?.[(plan.step ?? 1) - 1] ?? {};
      const progress = message("progress", { count, all: room?.students });
      controls.step.textContent = stepsInWords(plan) + (plan.step ? ` · ${progress}` : "");
      controls.stepBack.disabled = (plan.step ?? 1) === 1;
      controls.stepOn.disabled = plan.step === plan.views.length;
    }
    controls.stepBack.hidden = controls.step.hidden = controls.stepOn.hidden = !plan;
    controls.mode.hidden = controls.ask.hidden = isOver || !room;
    controls.leave.hidden = !isOver;
    // The sheet of a question covers the bar.
    const faults = [connection, this.error].filter(Boolean);
    this.show([count, ...faults].filter(Boolean).join(" · "), faults.join(" · "));
  }
}
