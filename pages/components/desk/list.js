// Questions prepared before class: a list in this browser, saved as a file, opened from one, shared.

import { make, pressed, say } from "../classroom/bits.js";
import { goTo } from "../classroom/places.js";
import {
  asFile,
  asFragment,
  fromFile,
  keepPrepared,
  preparedQuestions,
} from "../classroom/prepared.js";
import { copyLink } from "../common/copying.js";
import { save } from "../common/saving.js";

const LONGEST = 1_000_000; // bytes of a file

export class List {
  /**
   * @param {HTMLElement} section
   * @param {Record<string, string>} words
   * @param {string} origin
   * @param {((question: any, done: (wrong: string) => void) => void) | null} ask null outside a room
   * @param {(text: string) => void} says
   */
  constructor(section, words, origin, ask, says) {
    this.section = section;
    this.words = words;
    this.origin = origin || window.location.origin;
    this.ask = ask;
    this.says = says;
    this.draw();
  }

  draw() {
    const { words } = this;
    const questions = preparedQuestions();
    const rows = questions.map((question, i) => this.row(question, i, questions));
    this.section.replaceChildren(
      make("h2", {}, words.prepared_title),
      make("p", { className: "small" }, words.prepared_words),
      make("ol", {}, ...rows),
      this.acts(questions),
    );
  }

  /**
   * @param {any} question
   * @param {number} i
   * @param {any[]} all
   */
  row(question, i, all) {
    const { words } = this;
    const move = (by) => {
      const order = [...all];
      order.splice(i + by, 0, ...order.splice(i, 1));
      keepPrepared(order);
    };
    const asking = pressed(words.ask_now, () => this.ask(question, (wrong) => this.says(wrong)));
    asking.className = "main";
    const named = { number: i + 1 };
    const small = (sign, said, act, disabled = false) =>
      pressed(sign, act, { className: "sign", title: said, ariaLabel: say(said, named), disabled });
    return make(
      "li",
      {},
      make("span", { className: "kind" }, words[`kind_${question.kind}`]),
      make("span", { className: "prompt" }, question.prompt),
      ...(this.ask ? [asking] : []),
      pressed(words.look, () => goTo(question.view)),
      small("↑", words.up, () => move(-1), i === 0),
      small("↓", words.down, () => move(1), i === all.length - 1),
      small("✕", words.remove, () => keepPrepared(all.filter((_each, at) => at !== i))),
    );
  }

  /** @param {any[]} questions */
  acts(questions) {
    const { words } = this;
    const file = make("input", { type: "file", accept: ".json,application/json", hidden: true });
    file.onchange = () => this.opened(file);
    const share = pressed(words.share, async () => {
      const link = `${this.origin}/classroom#${await asFragment(questions)}`;
      copyLink(link, share, { copy: words.share, copied: words.copied });
    });
    const saved = () => save("headlight_questions.json", "application/json", asFile(questions));
    const acts = [pressed(words.open_file, () => file.click()), file];
    if (questions.length) acts.unshift(pressed(words.save_file, saved), share);
    return make("div", { className: "acts" }, ...acts);
  }

  /** @param {HTMLInputElement} input */
  async opened(input) {
    const [file] = input.files;
    if (!file) return;
    const questions = file.size <= LONGEST ? fromFile(await file.text()) : null;
    if (questions) keepPrepared([...preparedQuestions(), ...questions]);
    const { words } = this;
    const count = questions?.length;
    this.says(questions ? say(words.questions_added, { count }) : words.questions_none);
  }
}
