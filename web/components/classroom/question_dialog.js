// The current question, as a dialog over the whole page: the page below would show the answer.
// A question about heads can be hidden, because the page shows all of them.

import { presenting } from "../common/stage.js";
import { answerInput } from "./answer_inputs.js";
import { answerName, isRight } from "./answers.js";
import { button, element, formatCode, message } from "./dom.js";
import { questionContext, roundName, votesFigures } from "./results.js";

/** @typedef {"stop" | "reveal" | "again" | "close"} Action of the teacher */

/**
 * @typedef {object} DialogActions
 * @property {() => void} draw called after the dialog was hidden
 * @property {(address: string, question: RoomQuestion) => void} test open the view that switches the
 *   right head off
 * @property {(question: RoomQuestion, action: Action) => void} [lead] teacher
 * @property {(question: RoomQuestion, answer: any) => void} [answer] student
 * @property {(question: RoomQuestion) => GivenAnswer | undefined} [given] the student's answer
 */

export class QuestionDialog {
  /** @param {HTMLDialogElement} dialog @param {DialogActions} actions */
  constructor(dialog, actions) {
    this.dialog = dialog;
    this.actions = actions;
    this.shown = "";
    this.hiddenVersion = "";
    /** Whether this browser has hidden the question to look at the page. */
    this.isHidden = false;
    this.drawn = "";
    this.chosen = /** @type {any} */ (undefined);
    this.vote = ""; // the question and its round that `chosen` belongs to
    this.connection = element("span", { role: "status" });
    this.body = element("div.body");
    this.status = element("p.status", { role: "status", tabIndex: -1 });
    this.fieldset = element("fieldset");
    this.large = false;
    /** Whether the teacher sees the votes before the reveal. They are on the projector, too. */
    this.votesShown = false;
    this.sendButton = button("", () => {}, { className: "main" });
    // Escape does not close a question.
    dialog.oncancel = (event) => event.preventDefault();
  }

  /** @param {RoomState | null} room @param {string} connection state of the connection, in words */
  show(room, connection) {
    const question = room?.question;
    const version = question
      ? `${room.room}.${question.id}.${question.round}.${question.state}`
      : "";
    this.isHidden = version !== "" && version === this.hiddenVersion;
    if (!question || this.isHidden) {
      this.shown = "";
      this.dialog.close();
      return;
    }
    if (version !== this.shown || this.large !== presenting()) {
      this.build(room, question);
      this.dialog.scrollTop = 0;
      if (this.dialog.open) this.title.focus({ preventScroll: true });
    }
    this.shown = version;
    // The last opened dialog is on top, so a question waits for the end of a pause.
    const waits = room.role === "student" && room.paused !== null;
    if (!this.dialog.open && !waits) this.dialog.showModal();
    this.connection.textContent = connection;
    if (room.role === "student" && question.state === "open") this.updateInput(question);
    else this.updateResults(room, question);
  }

  /** Hide the question until its next round or state, to look at the page. */
  hide() {
    this.hiddenVersion = this.shown;
    this.actions.draw();
  }

  /** Open a hidden question again. */
  restore() {
    this.hiddenVersion = "";
    this.actions.draw();
  }

  /** @param {RoomState} room @param {RoomQuestion} question */
  build(room, question) {
    const name = message("room", { code: formatCode(room.room) });
    const round = question.round > 1 ? ` · ${roundName(question.round)}` : "";
    this.dialog.ariaLabel = question.prompt;
    this.large = presenting();
    this.dialog.className = `question sheet ${room.role} ${this.large ? "large" : ""}`;
    this.body.replaceChildren();
    this.body.onkeydown = null;
    this.drawn = "";
    this.title = element("h2", { tabIndex: -1, autofocus: true }, question.prompt);
    this.dialog.replaceChildren(
      element("div.head", element("b.code", name + round), this.connection),
      this.title,
      ...questionContext(question),
      this.body,
      this.status,
      element("div.foot", this.buttons(room, question)),
    );
  }

  /** @param {RoomState} room @param {RoomQuestion} question @returns {HTMLElement[]} */
  buttons({ role, mode }, question) {
    const { actions } = this;
    const { kind, state, truth } = question;
    const isTeacher = role === "teacher";
    const isOpen = state === "open";
    const look = (className = "") => button(message("look_page"), () => this.hide(), { className });
    const test =
      truth?.test && (isTeacher || mode !== "locked")
        ? [
            button(message("test"), () => actions.test(truth.test, question), {
              className: isTeacher ? "main" : "",
            }),
          ]
        : [];
    if (!isTeacher && isOpen)
      return [this.buildInput(question), ...(kind === "head" ? [look()] : [])];
    if (!isTeacher) return [look("main"), ...test];
    const lead = (/** @type {Action} */ action, className = "") =>
      button(message(action), () => actions.lead?.(question, action), { className });
    const votesName = () => message(this.votesShown ? "hide_votes" : "show_votes");
    const votes = button(votesName(), () => {
      this.votesShown = !this.votesShown;
      votes.textContent = votesName();
      actions.draw();
    });
    return [
      ...(isOpen ? [lead("stop")] : []),
      ...(state === "revealed" ? test : [lead("reveal", "main"), votes]),
      lead("again"),
      look(),
      lead("close"),
    ];
  }

  /** @param {RoomQuestion} question @returns {HTMLElement} the button that sends the answer */
  buildInput(question) {
    const { actions, sendButton } = this;
    const vote = `${question.id}.${question.round}`;
    // A question that was hidden keeps what was chosen.
    const chosen = vote === this.vote ? this.chosen : undefined;
    this.vote = vote;
    this.chosen = actions.given?.(question)?.answer ?? chosen;
    sendButton.textContent = message("send");
    sendButton.onclick = () => actions.answer?.(question, this.chosen);
    sendButton.disabled = this.chosen === undefined;
    const input = answerInput(question, this.chosen, (chosen) => {
      this.chosen = chosen;
      sendButton.disabled = chosen === undefined;
    });
    this.fieldset.replaceChildren(input);
    this.body.append(this.fieldset);
    this.body.onkeydown = (/** @type {KeyboardEvent} */ { key, target }) => {
      if (key === "Enter" && target instanceof HTMLInputElement) sendButton.click();
    };
    return sendButton;
  }

  /** @param {RoomQuestion} question */
  updateInput(question) {
    const state = this.actions.given?.(question)?.state;
    this.status.textContent = message(`answer_${state ?? "none"}`);
    this.status.className = `status ${state ?? ""}`;
    const root = /** @type {ShadowRoot} */ (this.dialog.getRootNode());
    const focused = root.activeElement;
    const lost = focused === this.sendButton || this.fieldset.contains(focused);
    const closed = state !== undefined && state !== "refused";
    this.fieldset.disabled = this.sendButton.hidden = closed;
    // Without this, the focus would return to the start of the page.
    if (closed && lost) this.status.focus({ preventScroll: true });
  }

  /** @param {RoomState} room @param {RoomQuestion} question */
  updateResults(room, question) {
    const { state, tally = [], earlier = [] } = question;
    this.status.className = "status";
    this.status.textContent =
      room.role === "teacher"
        ? teacherStatus(room, question)
        : ownResult(question, this.actions.given?.(question));
    const shown = state === "revealed" || (room.role === "teacher" && this.votesShown);
    const version = JSON.stringify([shown, tally, earlier]);
    if (version === this.drawn) return;
    this.drawn = version;
    const own = (/** @type {number} */ round) =>
      this.actions.given?.({ ...question, round })?.answer;
    this.body.replaceChildren(...(shown ? votesFigures(question, own) : []));
  }
}

/** @param {RoomState} room @param {RoomQuestion} question */
function teacherStatus({ connected }, { state, n_answers }) {
  const count = message("answered", { count: n_answers, all: connected });
  return state === "stopped" ? `${count} ${message("stopped")}` : count;
}

/** @param {RoomQuestion} question @param {GivenAnswer | undefined} given */
function ownResult(question, given) {
  const stopped = question.state === "stopped" ? `${message("stopped")} ` : "";
  if (!given) return stopped + message("own_none");
  if (given.state !== "arrived") return message("answer_late");
  const answer = answerName(question, given.answer);
  return stopped + message(isRight(question.truth, given.answer) ? "own_right" : "own", { answer });
}
