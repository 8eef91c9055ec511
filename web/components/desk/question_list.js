// The list of saved questions: add, edit, ask, reorder or remove them; save or open the list.

import { button, element, message } from "../classroom/dom.js";
import {
  addQuestions,
  isAsked,
  parseFile,
  savedQuestions,
  saveQuestions,
  toFile,
} from "../classroom/saved_questions.js";
import { QuestionForm } from "../classroom/question_form.js";
import { openView } from "../classroom/view_links.js";
import { save } from "../common/saving.js";

const MAX_BYTES = 1_000_000;

export class QuestionList {
  /**
   * @param {((question: SavedQuestion) => void) | null} ask null outside a room
   * @param {(text: string) => void} setAlert
   * @param {string} [code] of the room
   */
  constructor(ask, setAlert, code) {
    this.code = code;
    this.ask = ask;
    this.setAlert = setAlert;
    this.section = element("section.prepared");
    this.draw();
  }

  draw() {
    const questions = savedQuestions();
    this.section.replaceChildren(
      element("h2", message("prepared_title")),
      element("p.small", message("prepared_words")),
      element(
        "ol",
        questions.map((_question, i) => this.row(i, questions)),
      ),
      this.fileButtons(questions),
    );
  }

  /** @param {number} i @param {SavedQuestion[]} questions */
  row(i, questions) {
    const question = questions[i];
    const { ask } = this;
    const asked = this.code !== undefined && isAsked(this.code, question);
    const others = questions.toSpliced(i, 1);
    const move = (/** @type {number} */ place) =>
      saveQuestions(others.toSpliced(place, 0, question));
    /** @type {(text: string, name: string, onclick: () => void, disabled?: boolean) => HTMLElement} */
    const sign = (text, name, onclick, disabled = false) => {
      const title = message(name, { number: i + 1 });
      return button(text, onclick, { className: "sign", title, ariaLabel: title, disabled });
    };
    return element(
      "li",
      element("span.kind", message(`kind_${question.kind}`)),
      asked && element("span.asked", message("asked")),
      element("span.prompt", question.prompt),
      ask && button(message("ask_now"), () => ask(question), { className: "main" }),
      button(message("look"), () => openView(question.view)),
      button(message("edit"), () => this.edit(i, question)),
      sign("↑", "up", () => move(i - 1), i === 0),
      sign("↓", "down", () => move(i + 1), i === others.length),
      sign("✕", "remove", () => saveQuestions(others)),
    );
  }

  /**
   * Open the form for a question of the list, or for a new one.
   *
   * @param {number} i its place
   * @param {SavedQuestion} [question]
   */
  edit(i, question) {
    const dialog = element("dialog", { onclose: () => dialog.remove() });
    const form = new QuestionForm(dialog, null, (/** @type {SavedQuestion} */ changed) =>
      saveQuestions(savedQuestions().toSpliced(i, question ? 1 : 0, changed)),
    );
    // Drawing the list replaces its content, so the form is next to it.
    this.section.parentElement?.append(dialog);
    form.open(question?.view ?? "/", question);
  }

  /** @param {SavedQuestion[]} questions */
  fileButtons(questions) {
    const input = element("input", {
      type: "file",
      accept: ".json,application/json",
      hidden: true,
      onchange: () => this.openFile(input.files[0]),
    });
    const saveFile = () => save("headlight_questions.json", "application/json", toFile(questions));
    return element(
      "div.acts",
      button(message("new_question"), () => this.edit(questions.length)),
      questions.length > 0 && button(message("save_file"), saveFile),
      button(message("open_file"), () => input.click()),
      input,
    );
  }

  /** @param {File | undefined} file */
  async openFile(file) {
    if (!file) return;
    const questions = file.size <= MAX_BYTES ? parseFile(await file.text()) : null;
    const count = questions && addQuestions(questions);
    this.setAlert(message(questions ? "questions_added" : "questions_none", { count }));
  }
}
