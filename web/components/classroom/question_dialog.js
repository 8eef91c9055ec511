// The current question, as a dialog over the whole page: the page below would show the answer.
// A student can hide an open question about heads, because the page shows all of them. Every other
// page waits for the reveal: the teacher can still let the class vote again.

import { emphasised } from "../common/emphasis.js";
import { presenting } from "../common/stage.js";
import { sentences } from "../common/sentences.js";
import { answerInput } from "./answer_inputs.js";
import { answerName, isRight } from "./answers.js";
import { button, build, formatCode, message } from "./dom.js";
import { questionContext, verdict, votesFigures } from "./results.js";

const LAST_ANSWERS = 1_000; // milliseconds after a stop in which selected answers arrive
const LARGEST_TYPE = 1 / 16; // of a projector's height
const SMALLEST_TYPE = 1 / 40; // a longer question scrolls

/** @typedef {"stop" | "reveal" | "again" | "close"} Action of the teacher */

/**
 * @typedef {object} DialogActions
 * @property {() => void} draw called after the dialog was hidden
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
    /** To look at the page. */
    this.isHidden = false;
    this.drawn = "";
    this.chosen = /** @type {any} */ (undefined);
    this.vote = ""; // the question and its round that `chosen` belongs to
    this.connection = build("span", { role: "status" });
    this.status = build("p.status", { role: "status", tabIndex: -1 });
    this.fieldset = build("fieldset");
    /** Whether this is a projector, which shows the question in large type and no votes. */
    this.large = false;
    this.fitted = "";
    this.sendButton = button("", () => {}, { className: "main" });
    // Escape does not close a question.
    dialog.oncancel = (event) => event.preventDefault();
  }

  /** @param {RoomState | null} room @param {string} connection state of the connection, in words */
  show(room, connection) {
    const question = room?.question;
    const version = question ? `${room.room}.${voteOf(question)}.${question.state}` : "";
    this.isHidden = version !== "" && version === this.hiddenVersion;
    if (!question || this.isHidden) {
      this.shown = "";
      return this.dialog.close();
    }
    const isNew = version !== this.shown;
    this.shown = version;
    if (isNew || this.large !== presenting()) {
      this.build(room, question);
      this.dialog.scrollTop = 0;
      if (this.dialog.open) this.title.focus({ preventScroll: true });
    }
    // The class has no time left: what is selected counts.
    const isStopped = isNew && question.state === "stopped";
    if (isStopped && this.vote === voteOf(question) && this.chosen !== undefined)
      this.actions.answer?.(question, this.chosen);
    if (!this.dialog.open) this.dialog.showModal();
    this.connection.textContent = connection;
    if (room.role === "student" && question.state === "open") this.updateInput(question);
    else this.updateResults(room, question);
    this.fit(version);
  }

  /** On a projector, show all of the sheet, in the largest type. @param {string} version */
  fit(version) {
    const fitted = this.large ? [version, this.drawn, innerWidth, innerHeight].join() : "";
    if (fitted === this.fitted) return;
    this.fitted = fitted;
    const { dialog } = this;
    dialog.style.fontSize = "";
    for (let share = LARGEST_TYPE; fitted && share > SMALLEST_TYPE; share *= 0.95) {
      dialog.style.fontSize = `${Math.max(share * 0.95, SMALLEST_TYPE) * innerHeight}px`;
      const { scrollWidth, clientWidth, scrollHeight, clientHeight } = dialog;
      if (scrollWidth <= clientWidth && scrollHeight <= clientHeight) break;
    }
  }

  /** Hide the question until its next round or state, or open it again. @param {boolean} hides */
  hide(hides) {
    this.hiddenVersion = hides ? this.shown : "";
    this.actions.draw();
  }

  /** @param {RoomState} room @param {RoomQuestion} question */
  build(room, question) {
    const name = message("room", { code: formatCode(room.room) });
    const round = question.round > 1 ? ` · ${message("vote", { count: question.round })}` : "";
    this.large = presenting();
    this.dialog.className = `question sheet ${room.role} ${question.state} ${this.large ? "large" : ""}`;
    this.body = build("div.body"); // a new one for each state
    this.drawn = "";
    this.title = build("h2", { tabIndex: -1, autofocus: true }, emphasised(question.prompt));
    this.dialog.ariaLabel = this.title.textContent;
    this.dialog.replaceChildren(
      build("div.head", build("b.code", name + round), this.connection),
      this.title,
      ...questionContext(question),
      // A phone shows the result first.
      ...(question.state === "revealed" ? [this.status, this.body] : [this.body, this.status]),
      build("div.foot", this.buttons(room, question)),
    );
  }

  /** @param {RoomState} room @param {RoomQuestion} question @returns {any[]} for `element` */
  buttons({ role }, question) {
    const { actions } = this;
    const { kind, state } = question;
    const isTeacher = role === "teacher";
    const isOpen = state === "open";
    const look = (className = "") =>
      button(message("look_page"), () => this.hide(true), { className });
    if (!isTeacher && isOpen) return [this.buildInput(question), kind === "head" && look()];
    const revealed = state === "revealed";
    if (!isTeacher) return [revealed && look("main")];
    const lead = (/** @type {Action} */ action, className = "") =>
      button(message(action), () => actions.lead?.(question, action), { className });
    if (isOpen) return [lead("stop", "main"), lead("close")];
    if (revealed) return [lead("again"), look(), lead("close")];
    const reveal = lead("reveal", "main");
    reveal.disabled = true;
    setTimeout(() => (reveal.disabled = false), LAST_ANSWERS);
    return [reveal, lead("again"), lead("close")];
  }

  /** @param {RoomQuestion} question @returns {HTMLElement} the button that sends the answer */
  buildInput(question) {
    const { actions, sendButton } = this;
    const vote = voteOf(question);
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
        ? message("progress", { count: question.n_answers, all: room.students })
        : ownResult(question, this.actions.given?.(question));
    const version = JSON.stringify([tally, earlier]);
    if (version === this.drawn) return;
    this.drawn = version;
    const own = (/** @type {number} */ round) =>
      this.actions.given?.({ ...question, round })?.answer;
    if (state === "revealed") {
      const figures = votesFigures(question, own);
      this.body.replaceChildren(build("p.verdict", verdict(question)), ...figures);
    } else if (room.role === "teacher") this.updateBoard(question);
  }

  /** Show what can be chosen, and the votes to the teacher alone. @param {RoomQuestion} question */
  updateBoard(question) {
    if (!this.body.firstChild) {
      const board = build("fieldset.board", { disabled: true });
      if (question.kind !== "number") board.append(answerInput(question, undefined, () => {}));
      this.votes = build("details.votes", build("summary", message("private")), build("div"));
      this.body.append(board, ...(this.large ? [] : [this.votes]));
    }
    if (!this.large) this.votes.lastChild.replaceChildren(...votesFigures(question));
  }
}

/** @param {RoomQuestion} question @returns {string} the key of an answer */
export function voteOf({ id, round }) {
  return `${id}.${round}`;
}

/** @param {RoomQuestion} question @param {GivenAnswer | undefined} given */
function ownResult(question, given) {
  const stopped = question.state === "stopped" && message("stopped");
  if (!given) return sentences([stopped, message("own_none")]);
  if (given.state !== "arrived") return message(`answer_${given.state}`);
  const answer = answerName(question, given.answer);
  const own = isRight(question.truth, given.answer) ? "own_right" : "own";
  return sentences([stopped, message(own, { answer })]);
}
