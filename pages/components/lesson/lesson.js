// A step of a lesson: what it says, what there is to do, and its question. The server judges an
// answer; what was answered right is kept here. Text only ever becomes textContent.

import { emphasised } from "../common/emphasis.js";
import { goTo, hereAt } from "../common/going.js";
import { mount } from "../common/mount.js";
import { keepAnswered, keepProgress, progress } from "../common/progress.js";
import { answerFields, shownAnswer } from "./answers.js";

const NARROW = "(max-width: 640px)"; // where what the lesson says lies over the page

/**
 * @typedef {object} LessonData
 * @property {string} place of the step, as the address has it
 * @property {string} lesson
 * @property {number} step from 1
 * @property {number} steps
 * @property {string} title
 * @property {boolean} away whether another page than the step's is open
 * @property {Record<string, string | null>} links by what leads there: an address, or a place
 *   alone where the view stays
 * @property {Record<string, string>} strings
 * @property {string} [problem] why the rest is missing
 * @property {string} [say]
 * @property {string} [do]
 * @property {string} [ask]
 * @property {"options" | "number" | "head"} [kind]
 * @property {string[]} [options]
 * @property {string[]} [hints]
 * @property {{ answer: string, right: boolean, said: string } | null} [verdict]
 */

/** @implements {Drawing<LessonData>} */
class Lesson {
  /**
   * @param {HTMLElement} root
   * @param {AbortSignal} signal
   */
  constructor(root, signal) {
    this.root = root;
    /** @param {string} name */
    this.part = (name) => /** @type {HTMLElement} */ (root.querySelector(`.${name}`));
    this.fold = this.part("fold");
    this.fold.onclick = () => this.toggle();
    for (const what of ["lessons", "view", "back", "next"])
      this.part(what).onclick = () => this.go(this.data.links[what]);
    this.part("leave").onclick = () => this.act("leave");
    root.querySelector("form").onsubmit = (event) => event.preventDefault();
    const elsewhere = (event) => this.elsewhere(event);
    document.addEventListener("pointerdown", elsewhere, { capture: true, signal });
  }

  /** @param {Component<LessonData>} component */
  receive({ data, setTriggerValue }) {
    const moved = data.place !== this.data?.place;
    this.data = data;
    this.send = setTriggerValue;
    if (moved) {
      this.hinted = 0;
      this.root.classList.toggle("folded", !this.narrow() && Boolean(progress().folded));
    }
    keepProgress({ at: data.place });
    if (data.verdict?.right) keepAnswered(data.lesson, data.step, data.verdict.answer);
    this.draw();
  }

  /**
   * @param {string} what
   * @param {string} [answer]
   */
  act(what, answer = "") {
    this.send("acted", { do: what, place: this.data.place, answer, at: Date.now() });
  }

  /** @param {string} where */
  go(where) {
    goTo(where.startsWith("/") ? where : hereAt(where));
  }

  narrow() {
    return window.matchMedia(NARROW).matches;
  }

  toggle() {
    const folded = this.root.classList.toggle("folded");
    if (!this.narrow()) keepProgress({ folded });
    this.draw();
  }

  // The sheet on a phone gives way to the page.
  /** @param {Event} event */
  elsewhere(event) {
    if (!this.narrow() || event.composedPath().includes(this.root)) return;
    this.root.classList.add("folded");
    this.draw();
  }

  draw() {
    const { strings, title, step, steps, away, links } = this.data;
    const folded = this.root.classList.contains("folded");
    this.root.classList.toggle("away", away);
    this.root.setAttribute("aria-label", `${strings.name} ${title}, ${strings.of}`);
    this.root.querySelector("b").textContent = title;
    this.part("of").textContent = strings.of;
    this.part("dots").textContent = this.dots(step, steps);
    this.part("dots").setAttribute("aria-hidden", "true");
    this.fold.textContent = folded ? "▸" : "▾";
    this.fold.setAttribute("aria-expanded", String(!folded));
    this.fold.setAttribute("aria-label", strings.fold);
    this.fold.title = strings.fold;
    this.part("lessons").textContent = strings.lessons;
    this.part("view").textContent = away ? strings.return : strings.view;
    this.part("back").textContent = `◂ ${strings.back}`;
    this.part("next").textContent = `${strings.next} ▸`;
    /** @type {HTMLButtonElement} */ (this.part("back")).disabled = !links.back;
    /** @type {HTMLButtonElement} */ (this.part("next")).disabled = !links.next;
    this.part("leave").setAttribute("aria-label", strings.leave);
    this.part("leave").title = strings.leave;
    this.tell();
  }

  /**
   * @param {number} step
   * @param {number} steps
   */
  dots(step, steps) {
    const done = progress().done[this.data.lesson] ?? {};
    const mark = (at) => (done[at] !== undefined ? "✓" : at === step ? "●" : "○");
    return Array.from({ length: steps }, (_, index) => mark(index + 1)).join("");
  }

  tell() {
    const { say = "", do: todo = "", ask = "", problem } = this.data;
    this.part("say").replaceChildren(...emphasised(problem ?? say));
    this.part("do").replaceChildren(...emphasised(todo));
    this.part("do").hidden = !todo;
    this.part("ask").replaceChildren(...emphasised(ask));
    if (problem) {
      this.part("answers").replaceChildren();
      return;
    }
    const kept = progress().done[this.data.lesson]?.[this.data.step];
    const verdict = this.data.verdict;
    this.drawAnswers(verdict, kept);
    const said = verdict ? ` ${verdict.said}` : kept ? this.answered(kept) : "";
    const right = verdict ? verdict.right : kept !== undefined;
    this.part("verdict").replaceChildren(...(said ? [marked(right), ...emphasised(said)] : []));
    const hints = this.data.hints.slice(0, this.hinted).map((hint) => {
      const item = document.createElement("li");
      item.append(...emphasised(hint));
      return item;
    });
    this.part("hints").replaceChildren(...hints);
  }

  /** @param {string} kept */
  answered(kept) {
    const { strings, kind } = this.data;
    return ` ${strings.answered.replace("{answer}", shownAnswer(kind, kept))}`;
  }

  /**
   * @param {LessonData["verdict"]} verdict
   * @param {string | undefined} kept
   */
  drawAnswers(verdict, kept) {
    // What is being typed stands while other things are drawn.
    const drawn = JSON.stringify([this.data.place, verdict, kept]);
    if (drawn === this.drawn) return;
    this.drawn = drawn;
    const chosen = verdict ?? (kept === undefined ? null : { answer: kept, right: true });
    const fields = answerFields(this.data, chosen, (answer) => this.act("answer", answer));
    const hint = document.createElement("button");
    hint.type = "button";
    hint.className = "quiet";
    hint.textContent = this.data.strings.hint;
    hint.hidden = !this.data.hints.length;
    hint.onclick = () => {
      this.hinted = Math.min(this.hinted + 1, this.data.hints.length);
      hint.disabled = this.hinted === this.data.hints.length;
      this.tell();
    };
    this.part("answers").replaceChildren(...fields, hint);
  }
}

/** @param {boolean} right */
function marked(right) {
  const mark = document.createElement("span");
  mark.className = right ? "right-mark" : "wrong-mark";
  mark.textContent = right ? "✓" : "✗";
  return mark;
}

/**
 * @param {Component<LessonData>} component
 * @returns {() => void}
 */
export default function (component) {
  return mount(component, ".lesson", Lesson);
}
