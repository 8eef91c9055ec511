// The current question, as a dialog over the whole page: the page below would show the answer.

import { answerInput } from "./answer_inputs.js";
import { answerName, isRight } from "./answers.js";
import { button, element, formatCode, message } from "./dom.js";
import { questionContext, resultsFigure } from "./results.js";

/**
 * @typedef {object} DialogActions
 * @property {(address: string, question: RoomQuestion) => void} test open the view that switches the
 *   right head off
 * @property {(question: RoomQuestion, action: "reveal" | "again" | "close") => void} [lead] teacher
 * @property {(question: RoomQuestion, answer: any) => void} [answer] student
 * @property {(question: RoomQuestion) => GivenAnswer | undefined} [given] the student's answer
 * @property {(question: RoomQuestion) => any} [draft] chosen before a reload and not sent
 * @property {(question: RoomQuestion, answer: any) => void} [saveDraft]
 */

export class QuestionDialog {
  /** @param {HTMLDialogElement} dialog @param {DialogActions} actions */
  constructor(dialog, actions) {
    this.dialog = dialog;
    this.actions = actions;
    this.shown = "";
    this.dismissed = "";
    this.drawn = "";
    this.chosen = /** @type {any} */ (undefined);
    this.connection = element("span", { role: "status" });
    this.body = element("div.body");
    this.status = element("p.status", { role: "status" });
    this.fieldset = element("fieldset");
    this.sendButton = button("", () => {}, { className: "main" });
    // Escape does not close a question.
    dialog.oncancel = (event) => event.preventDefault();
  }

  /**
   * @param {RoomState | null} room
   * @param {string} connection state of the connection, in words
   */
  show(room, connection) {
    const question = room?.question;
    const version = question
      ? `${room.room}.${question.id}.${question.round}.${question.state}`
      : "";
    if (!question || version === this.dismissed) {
      this.shown = "";
      this.dialog.close();
      return;
    }
    if (version !== this.shown) {
      this.build(room, question);
      this.dialog.scrollTop = 0;
    }
    this.shown = version;
    if (!this.dialog.open) this.dialog.showModal();
    this.connection.textContent = connection;
    if (room.role === "student" && question.state === "open") this.updateInput(question);
    else this.updateResults(room, question);
  }

  /** Close the question until its next round or state. */
  dismiss() {
    this.dismissed = this.shown;
    this.dialog.close();
  }

  /** @param {RoomState} room @param {RoomQuestion} question */
  build(room, question) {
    const name = message("room", { code: formatCode(room.room) });
    const round = question.round > 1 ? ` · ${roundName(question.round)}` : "";
    this.dialog.ariaLabel = question.prompt;
    this.dialog.className = `question sheet ${room.role}`;
    this.body.replaceChildren();
    this.body.onkeydown = null;
    this.drawn = "";
    this.dialog.replaceChildren(
      element("div.head", name + round, this.connection),
      element("h2", { tabIndex: -1, autofocus: true }, question.prompt),
      ...questionContext(question),
      this.body,
      this.status,
      element("div.foot", this.buttons(room, question)),
    );
  }

  /** @param {RoomState} room @param {RoomQuestion} question @returns {HTMLElement[]} */
  buttons({ role, locked }, question) {
    const { actions } = this;
    const main = { className: "main" };
    const address = question.truth?.test;
    const test = () => actions.test(address, question);
    if (role === "teacher") {
      const lead = (/** @type {"reveal" | "again" | "close"} */ action) => () =>
        actions.lead?.(question, action);
      const buttons = [
        button(message("again"), lead("again")),
        button(message("close"), lead("close")),
      ];
      if (address) buttons.unshift(button(message("test"), test, main));
      if (question.state === "open")
        buttons.unshift(button(message("reveal"), lead("reveal"), main));
      return buttons;
    }
    if (question.state === "open") return [this.buildInput(question)];
    const back = button(message("back_to_page"), () => this.dismiss(), main);
    return address && !locked ? [back, button(message("test"), test)] : [back];
  }

  /**
   * @param {RoomQuestion} question
   * @returns {HTMLElement} the button that sends the answer
   */
  buildInput(question) {
    const { actions, sendButton } = this;
    this.chosen = actions.given?.(question)?.answer ?? actions.draft?.(question);
    sendButton.textContent = message("send");
    sendButton.disabled = this.chosen === undefined;
    sendButton.onclick = () => actions.answer?.(question, this.chosen);
    const input = answerInput(question, this.chosen, (answer) => {
      this.chosen = answer;
      sendButton.disabled = answer === undefined;
      actions.saveDraft?.(question, answer);
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
    const given = this.actions.given?.(question);
    this.status.textContent = message(given ? `answer_${given.state}` : "answer_none");
    this.status.className = `status ${given?.state ?? ""}`;
    this.fieldset.disabled = this.sendButton.hidden = given !== undefined;
  }

  /** @param {RoomState} room @param {RoomQuestion} question */
  updateResults(room, question) {
    const given = this.actions.given?.(question);
    this.status.className = "status";
    this.status.textContent =
      room.role === "teacher"
        ? message("answered", { count: question.n_answers, all: room.connected })
        : ownResult(question, given);
    const { tally = [], earlier = [] } = question;
    const version = JSON.stringify([tally, earlier]);
    if (version === this.drawn) return;
    this.drawn = version;
    const rounds = [...earlier, tally].map((each, i) =>
      element(
        "section",
        earlier.length > 0 && element("h3", roundName(i + 1)),
        resultsFigure(question, each, given?.answer),
      ),
    );
    this.body.replaceChildren(...rounds.reverse());
  }
}

/** @param {number} round */
export function roundName(round) {
  return message("vote", { count: round });
}

/** @param {RoomQuestion} question @param {GivenAnswer | undefined} given */
function ownResult(question, given) {
  if (!given) return message("own_none");
  if (given.state !== "arrived") return message("answer_late");
  const answer = answerName(question, given.answer);
  return message(isRight(question.truth, given.answer) ? "own_right" : "own", { answer });
}
