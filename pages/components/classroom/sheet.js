// A question over the page, for as long as it is asked: what lies below would give the answer away.

import { make, pressed, say, spelled } from "./bits.js";
import { choices } from "./choices.js";
import { answerName, isRight, results } from "./results.js";
import { scene } from "./scene.js";

/**
 * @typedef {object} SheetActs
 * @property {(answer: any) => void} answer of a student
 * @property {(what: "reveal" | "again" | "close") => void} lead of the teacher
 * @property {(address: string) => void} test goes to where the right head is switched off
 * @property {(question: RoomQuestion) => GivenAnswer | undefined} given
 * @property {(question: RoomQuestion) => any} draft what was chosen before a reload, and not sent
 * @property {(question: RoomQuestion, answer: any) => void} drafted something is chosen
 */

export class Sheet {
  /**
   * @param {HTMLDialogElement} dialog
   * @param {Record<string, string>} words
   * @param {SheetActs} acts
   */
  constructor(dialog, words, acts) {
    this.dialog = dialog;
    this.words = words;
    this.acts = acts;
    dialog.oncancel = (event) => event.preventDefault();
  }

  /**
   * @param {RoomState | null} room
   * @param {string} line how the line is, in words
   */
  show(room, line) {
    const question = room?.question;
    const key = question && `${room.room}.${question.id}.${question.round}.${question.state}`;
    if (!question || key === this.dismissed) {
      this.key = null;
      this.dialog.close();
      return;
    }
    if (key !== this.key) {
      this.build(room, question);
      this.dialog.scrollTop = 0;
    }
    this.key = key;
    if (!this.dialog.open) this.dialog.showModal();
    this.line.textContent = line;
    this.update(room, question);
  }

  dismiss() {
    this.dismissed = this.key;
    this.dialog.close();
  }

  /**
   * @param {RoomState} room
   * @param {RoomQuestion} question
   */
  build(room, question) {
    const { words } = this;
    this.line = make("span", { role: "status" });
    this.body = make("div", { className: "body" });
    this.status = make("p", { className: "status", role: "status" });
    this.foot = make("div", { className: "foot" });
    const round = question.round > 1 ? ` · ${say(words.vote, { count: question.round })}` : "";
    const teaching = room.role === "teacher";
    this.dialog.ariaLabel = question.prompt;
    this.dialog.className = `asked sheet ${room.role}`;
    this.dialog.replaceChildren(
      make(
        "div",
        { className: "head" },
        say(words.room, { code: spelled(room.room) }) + round,
        this.line,
      ),
      make("h2", { tabIndex: -1, autofocus: true }, question.prompt),
      ...scene(question, words),
      this.body,
      this.status,
      this.foot,
    );
    this.chosen = undefined;
    if (!teaching && question.state === "open") this.ask(question);
    else this.foot.append(...(teaching ? this.lead(question) : this.after(room, question)));
  }

  /** @param {RoomQuestion} question */
  ask(question) {
    const { words, acts } = this;
    this.send = pressed(words.send, () => acts.answer(this.chosen), { className: "main" });
    const own = acts.given(question)?.answer ?? acts.draft(question);
    const choose = (answer) => {
      this.chosen = answer;
      this.send.disabled = answer === undefined;
      acts.drafted(question, answer);
    };
    this.chosen = own;
    this.send.disabled = own === undefined;
    this.choice = make("fieldset", {}, choices(question, words, choose, own));
    this.body.append(this.choice);
    this.body.onkeydown = ({ key, target }) => {
      if (key === "Enter" && target instanceof HTMLInputElement) this.send.click();
    };
    this.foot.append(this.send);
  }

  /** @param {RoomQuestion} question */
  lead({ state, truth }) {
    const { words, acts } = this;
    const revealed = state === "revealed";
    return [
      ...(revealed
        ? []
        : [pressed(words.reveal, () => acts.lead("reveal"), { className: "main" })]),
      ...(truth?.test ? [this.testing(truth.test, "main")] : []),
      pressed(words.again, () => acts.lead("again")),
      pressed(words.close, () => acts.lead("close")),
    ];
  }

  /**
   * @param {RoomState} room
   * @param {RoomQuestion} question
   */
  after({ locked }, { truth }) {
    const back = pressed(this.words.back_to_page, () => this.dismiss(), { className: "main" });
    return [back, ...(truth?.test && !locked ? [this.testing(truth.test)] : [])];
  }

  /**
   * @param {string} address
   * @param {string} [className]
   */
  testing(address, className = "") {
    return pressed(this.words.test, () => this.acts.test(address), { className });
  }

  /**
   * @param {RoomState} room
   * @param {RoomQuestion} question
   */
  update(room, question) {
    const { words } = this;
    const given = this.acts.given(question);
    const teaching = room.role === "teacher";
    if (!teaching && question.state === "open") {
      this.status.textContent = given ? words[`answer_${given.state}`] : words.answer_none;
      this.status.className = `status ${given?.state ?? ""}`;
      this.choice.disabled = this.send.hidden = given !== undefined;
      return;
    }
    this.status.textContent = teaching
      ? say(words.answered, { count: question.n_answers, all: room.connected })
      : ownWords(question, given, words);
    const { kind, items, truth } = question;
    const draw = (tally) => results({ kind, items, tally, truth, own: given?.answer, words });
    const earlier = (question.earlier ?? []).map((tally, i) =>
      make("section", {}, make("h3", {}, say(words.vote, { count: i + 1 })), draw(tally)),
    );
    const tally = question.tally ?? [];
    const now = JSON.stringify([tally, question.earlier]);
    if (this.body.childElementCount && now === this.drawn) return;
    this.drawn = now;
    const title = earlier.length
      ? [make("h3", {}, say(words.vote, { count: question.round }))]
      : [];
    this.body.replaceChildren(make("section", {}, ...title, draw(tally)), ...earlier.reverse());
  }
}

/**
 * @param {RoomQuestion} question
 * @param {GivenAnswer | undefined} given
 * @param {Record<string, string>} words
 */
function ownWords({ kind, items, truth }, given, words) {
  if (!given) return words.own_none;
  if (given.state !== "arrived") return words.answer_late;
  const said = isRight(truth, given.answer) ? words.own_right : words.own;
  return say(said, { answer: answerName(kind, items, given.answer) });
}
