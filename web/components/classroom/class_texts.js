// Sentences and reasons of students. The class reads those that the teacher shows, one or all.

import { presenting } from "../common/stage.js";
import { answerName, valueName } from "./answers.js";
import { button, element, message } from "./dom.js";
import { markedSentence } from "./own_sentence.js";

const MOST_OTHERS = 3; // before the reveal, a student reads this many

/**
 * @typedef {object} TextActions of the teacher
 * @property {(answers: number[] | null, shown: boolean) => void} show null for all answers
 * @property {(text: string) => void} open the question's view with a sentence
 * @property {(sentence: any) => void} collect the question's view with a sentence
 */

export class ClassTexts {
  /** @param {TextActions | null} teach null for a student */
  constructor(teach) {
    this.teach = teach;
    this.drawn = "";
    this.list = element("ul");
    this.label = element("summary");
    this.all = button("", () => {});
    // A projector shows only what the teacher has shown to the class.
    this.isPrivate = teach !== null && !presenting();
    this.root = this.isPrivate
      ? element("details.texts", this.label, this.all, this.list)
      : element("section.texts", this.label, this.all, this.list);
  }

  /** @param {RoomQuestion} question */
  update(question) {
    const { texts = [], state } = question;
    const version = JSON.stringify([texts, state]);
    if (version === this.drawn) return;
    this.drawn = version;
    const shown = texts.filter((each) => each.shown);
    const readable = this.isPrivate ? texts : shown;
    const most = this.teach || state === "revealed" ? readable.length : MOST_OTHERS;
    this.root.hidden = this.teach ? !texts.length : !shown.length;
    const counts = { count: texts.length, shown: shown.length };
    this.label.textContent = message(this.teach ? "texts_class" : "texts_others", counts);
    const hideAll = shown.length === texts.length;
    this.all.hidden = !this.teach;
    this.all.textContent = message(hideAll ? "texts_hide_all" : "texts_show_all");
    this.all.onclick = () => this.teach?.show(null, !hideAll);
    this.list.replaceChildren(
      ...readable.slice(0, most).map((each) => element("li", this.line(question, each))),
    );
  }

  /** @param {RoomQuestion} question @param {ClassText} text */
  line(question, { id, answer, reason, confidence, shown }) {
    const isSentence = question.kind === "sentence";
    const sure = confidence === null ? "" : message(`confidence_${confidence}`);
    const words = [reason, isSentence ? "" : answerName(question, answer), sure];
    const about = words.filter(Boolean).join(" · ");
    const { teach } = this;
    const buttons = teach &&
      this.isPrivate && [
        button(message(shown ? "text_hide" : "text_show"), () => teach.show([id], !shown)),
        isSentence && [
          button(message("text_open"), () => teach.open(answer.text)),
          button(message("text_collect"), () => teach.collect(answer)),
        ],
      ];
    return [
      isSentence && [markedSentence(answer), ` ${valueName(answer)}`],
      element("span.about", about),
      buttons,
    ];
  }
}
