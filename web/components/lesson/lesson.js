// A step of a lesson: its text, its task and its question. The server checks an answer; the browser
// stores the right ones. Text only ever becomes textContent.

import { emphasised } from "../common/emphasis.js";
import { find, unset } from "../common/find.js";
import { goTo, hereAt } from "../common/going.js";
import { mount } from "../common/mount.js";
import { keepAnswered, keepProgress, progress } from "../common/progress.js";
import { answerFields, shownAnswer } from "./answers.js";

const NARROW = "(max-width: 640px)"; // where the lesson is a sheet over the page

/**
 * The server's response to an answer.
 *
 * @typedef {{ answer: string, right: boolean, text: string }} Verdict
 */

/**
 * @typedef {object} LessonData
 * @property {string} place of the step, as in the URL
 * @property {string} lesson
 * @property {number} step from 1
 * @property {number} steps
 * @property {string} title
 * @property {boolean} away whether another page than the step's is open
 * @property {Record<string, string | null>} links by button: a URL, or only a place if the view does
 *   not change
 * @property {Record<string, string>} strings
 * @property {string} [problem] error; without one, all properties below are present
 * @property {string} [say]
 * @property {string} [do]
 * @property {string} [ask]
 * @property {"options" | "number" | "head"} [kind]
 * @property {string[]} [options]
 * @property {string[]} [hints]
 * @property {Verdict | null} [verdict]
 */

/** @implements {Drawing<LessonData>} */
class Lesson {
  /**
   * @param {HTMLElement} root
   * @param {AbortSignal} signal
   */
  constructor(root, signal) {
    this.root = root;
    /** @type {LessonData} */
    this.data = unset();
    /** @type {Component<LessonData>["setTriggerValue"]} */
    this.send = unset();
    this.hinted = 0; // number of visible hints
    this.drawn = ""; // the answer fields that are drawn
    this.part = (/** @type {string} */ name) => find(root, `.${name}`);
    this.fold = this.part("fold");
    this.fold.onclick = () => this.toggle();
    for (const name of ["lessons", "view", "back", "next"])
      this.part(name).onclick = () => this.go(this.data.links[name]);
    this.part("leave").onclick = () => this.act("leave");
    find(root, "form").onsubmit = (event) => event.preventDefault();
    const foldSheet = (/** @type {Event} */ event) => this.foldSheet(event);
    document.addEventListener("pointerdown", foldSheet, { capture: true, signal });
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
   * @param {string} action
   * @param {string} [answer]
   */
  act(action, answer = "") {
    this.send("acted", { do: action, place: this.data.place, answer, at: Date.now() });
  }

  /** @param {string | null} link of a button; a disabled button has none */
  go(link) {
    if (link) goTo(link.startsWith("/") ? link : hereAt(link));
  }

  narrow() {
    return window.matchMedia(NARROW).matches;
  }

  toggle() {
    const folded = this.root.classList.toggle("folded");
    if (!this.narrow()) keepProgress({ folded });
    this.draw();
  }

  /**
   * On a phone, fold the sheet after a tap on the page.
   *
   * @param {Event} event
   */
  foldSheet(event) {
    if (!this.narrow() || event.composedPath().includes(this.root)) return;
    this.root.classList.add("folded");
    this.draw();
  }

  draw() {
    const { strings, title, step, steps, away, links } = this.data;
    const folded = this.root.classList.contains("folded");
    this.root.classList.toggle("away", away);
    this.root.setAttribute("aria-label", `${strings.name} ${title}, ${strings.of}`);
    find(this.root, "b").textContent = title;
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
    find(this.root, ".back", HTMLButtonElement).disabled = !links.back;
    find(this.root, ".next", HTMLButtonElement).disabled = !links.next;
    this.part("leave").setAttribute("aria-label", strings.leave);
    this.part("leave").title = strings.leave;
    this.drawBody();
  }

  /**
   * @param {number} step
   * @param {number} steps
   */
  dots(step, steps) {
    const done = progress().done[this.data.lesson] ?? {};
    const mark = (/** @type {number} */ at) =>
      done[at] !== undefined ? "✓" : at === step ? "●" : "○";
    return Array.from({ length: steps }, (_, index) => mark(index + 1)).join("");
  }

  drawBody() {
    const { say = "", do: todo = "", ask = "", hints = [], problem, verdict = null } = this.data;
    this.part("say").replaceChildren(...emphasised(problem ?? say));
    this.part("do").replaceChildren(...emphasised(todo));
    this.part("do").hidden = !todo;
    this.part("ask").replaceChildren(...emphasised(ask));
    if (problem) {
      this.part("answers").replaceChildren();
      return;
    }
    const stored = progress().done[this.data.lesson]?.[this.data.step];
    this.drawAnswers(verdict, stored);
    const text = verdict ? ` ${verdict.text}` : stored ? this.answered(stored) : "";
    const right = verdict ? verdict.right : stored !== undefined;
    this.part("verdict").replaceChildren(...(text ? [marked(right), ...emphasised(text)] : []));
    const items = hints.slice(0, this.hinted).map((hint) => {
      const item = document.createElement("li");
      item.append(...emphasised(hint));
      return item;
    });
    this.part("hints").replaceChildren(...items);
  }

  /** @param {string} stored */
  answered(stored) {
    const { strings, kind = "options" } = this.data;
    return ` ${strings.answered.replace("{answer}", shownAnswer(kind, stored))}`;
  }

  /**
   * @param {Verdict | null} verdict
   * @param {string | undefined} stored
   */
  drawAnswers(verdict, stored) {
    // An unchanged question keeps its fields, and with them the text that is being typed.
    const drawn = JSON.stringify([this.data.place, verdict, stored]);
    if (drawn === this.drawn) return;
    this.drawn = drawn;
    const chosen = verdict ?? (stored === undefined ? null : { answer: stored, right: true });
    const { kind = "options", options = [], hints = [], strings } = this.data;
    const give = (/** @type {string} */ answer) => this.act("answer", answer);
    const fields = answerFields({ kind, options, strings }, chosen, give);
    const hint = document.createElement("button");
    hint.type = "button";
    hint.className = "quiet";
    hint.textContent = strings.hint;
    hint.hidden = !hints.length;
    hint.onclick = () => {
      this.hinted = Math.min(this.hinted + 1, hints.length);
      hint.disabled = this.hinted === hints.length;
      this.drawBody();
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
