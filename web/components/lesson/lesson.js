// A step of a lesson: its text, its task and its question. The server checks an answer; the browser
// stores the right and the revealed ones. Text only ever becomes textContent.

import { button, build } from "../classroom/dom.js";
import { emphasised } from "../common/emphasis.js";
import { find, unset } from "../common/find.js";
import { goTo, hereAt } from "../common/navigation.js";
import { linked } from "../common/text_links.js";
import { mount } from "../common/mount.js";
import { Part } from "../common/part.js";
import { keepAnswered, keepProgress, progress } from "../common/progress.js";
import { sentences } from "../common/sentences.js";

/** @import { Answered } from "../common/progress.js" */

const MARKS = { right: "✓", wrong: "✗", revealed: "✗", again: "", checking: "" };

/** @typedef {{ answer: string, outcome: keyof typeof MARKS, text: string, at: number }} Verdict */

/**
 * @typedef {object} LessonData
 * @property {string} place of the step, as in the URL
 * @property {string} lesson
 * @property {number} step from 1
 * @property {string} title
 * @property {boolean} away whether another page than the step's is open
 * @property {Record<string, string | null>} links by button: a URL, or only a place if the view does
 *   not change
 * @property {Record<string, string>} strings
 * @property {string} [problem] error; without one, all properties below are present
 * @property {string} [error] a false sentence, which the step corrects
 * @property {string} [say]
 * @property {string} [do]
 * @property {boolean} [guess] whether the figures are hidden until there is an answer
 * @property {string} [source] where the idea or the error was seen; shown with the explanation
 * @property {string} [ask]
 * @property {string} [rule] how exact an answer must be
 * @property {"choice" | "number"} [kind]
 * @property {string[]} [options]
 * @property {string[]} [hints]
 * @property {Verdict | null} [verdict]
 */

/** @extends {Part<LessonData>} */
class Lesson extends Part {
  data = /** @type {LessonData} */ (unset());
  part = (/** @type {string} */ name) => find(this.root, `.${name}`);
  fold = this.part("fold");
  hinted = 0; // number of visible hints
  drawn = ""; // the answer fields that are drawn
  looking = ""; // the place whose figures are shown before the answer
  /** @type {Verdict | null} */
  checking = null; // shown until the server judges the newest answer

  /** @param {Made} made */
  constructor(...made) {
    super(...made);
    const { root, signal } = this;
    this.fold.onclick = () => {
      keepProgress({ folded: !progress().folded });
      this.draw();
    };
    for (const name of ["lessons", "view", "back", "next"])
      this.part(name).onclick = () => {
        const link = this.data.links[name]; // a disabled button has none
        if (link) goTo(link.startsWith("/") ? link : hereAt(link));
      };
    this.part("leave").onclick = () => this.act("leave");
    find(root, "form").onsubmit = (event) => event.preventDefault();
    this.part("show").onclick = () => {
      this.looking = this.data.place;
      this.draw();
    };
    window.addEventListener("headlight-room-state", () => this.data && this.draw(), { signal });
    signal.addEventListener("abort", () => {
      delete document.documentElement.dataset.guess;
      window.headlightStep = undefined;
    });
  }

  /** @param {Component<LessonData>} component */
  receive({ data }) {
    const moved = data.place !== this.data?.place;
    this.data = data;
    keepProgress({ at: data.place });
    const { outcome = "wrong", answer = "", text = "" } = data.verdict ?? {};
    if (outcome === "right" || outcome === "revealed")
      keepAnswered(data.lesson, data.step, { answer, text, seen: outcome !== "right" });
    if (moved) this.hinted = 0;
    if (moved || data.verdict?.at === this.checking?.at) this.checking = null;
    this.draw();
    this.reportStep();
  }

  /** Send the step and the newest answer to the room that this browser may be in. */
  reportStep() {
    const { lesson, step, verdict } = this.data;
    const stored = progress().done[lesson]?.[step];
    const ended = stored?.seen ? "revealed" : "right";
    const before = stored && { answer: stored.answer, outcome: ended };
    const { answer, outcome } = verdict ?? before ?? { answer: "", outcome: "seen" };
    const detail = /** @type {LessonStep} */ ({ lesson, step, answer, outcome });
    window.headlightStep = detail;
    window.dispatchEvent(new CustomEvent("headlight-step", { detail }));
  }

  /** @param {string} action @param {string} [answer] */
  act(action, answer = "") {
    const at = Date.now();
    this.send("acted", { do: action, place: this.data.place, answer, at });
    if (action === "leave") return;
    this.checking = { answer, outcome: "checking", text: this.data.strings.checking, at };
    this.drawBody();
  }

  draw() {
    const { strings, title, away } = this.data;
    this.root.classList.toggle("away", away);
    this.root.setAttribute("aria-label", `${strings.name} ${title} (${strings.of})`);
    const { of, lessons, back, next, show } = strings;
    const view = away ? strings.return : strings.view;
    const texts = { title, of, lessons, view, show, back: `◂ ${back}`, next: `${next} ▸` };
    for (const [name, text] of Object.entries(texts)) this.part(name).textContent = text;
    for (const name of ["fold", "leave"])
      Object.assign(this.part(name), { title: strings[name], ariaLabel: strings[name] });
    this.drawSteps();
    this.drawBody();
    const folded = Boolean(progress().folded);
    this.root.classList.toggle("folded", folded);
    this.fold.textContent = folded ? "▸" : "▾";
    this.fold.setAttribute("aria-expanded", String(!folded));
  }

  /** Enable the buttons to the steps that are open: the teacher of a room can close some. */
  drawSteps() {
    const { step, links, strings } = this.data;
    const open = this.isWork() ? (window.headlightRoom?.plan?.step ?? null) : null;
    for (const [name, to] of Object.entries({ back: step - 1, next: step + 1 })) {
      const closed = open !== null && to !== open;
      const button = find(this.root, `.${name}`, HTMLButtonElement);
      button.disabled = !links[name] || closed;
      button.title = closed ? strings.paced : "";
    }
  }

  /** @returns {boolean} whether this is the lesson that a student's class works on */
  isWork() {
    const room = window.headlightRoom;
    const works = room?.role === "student" && room.mode === "free" && !room.ended;
    return Boolean(works && room.plan?.lesson === this.data.lesson);
  }

  drawBody() {
    const { error, say = "", do: todo = "", ask = "", hints = [], problem, source } = this.data;
    const { verdict = null, away, guess, place, strings } = this.data;
    for (const [name, text] of Object.entries({ say: problem ?? say, do: todo, ask }))
      this.part(name).replaceChildren(...emphasised(text));
    if (error)
      this.part("say").prepend(build("strong.error", build("span.wrong-mark", "✗"), ` ${error}`));
    const stored = progress().done[this.data.lesson]?.[this.data.step];
    const answered = stored || (verdict && verdict.outcome !== "again");
    const hides = !away && Boolean(guess && !problem && !answered && this.looking !== place);
    const { dataset } = document.documentElement;
    if (hides) dataset.guess = this.data.kind;
    else delete dataset.guess;
    this.part("hidden").textContent = hides ? strings.hidden : "";
    // In a class, an answer shows it.
    this.part("show").hidden = !hides || this.isWork();
    if (problem) return this.part("answers").replaceChildren();
    this.drawAnswers(this.checking ?? verdict, stored);
    const line = this.part("verdict"); // keeps its height while an answer is checked
    line.style.minHeight = this.checking ? `${line.getBoundingClientRect().height}px` : "";
    line.replaceChildren(...this.verdict(this.checking ?? verdict, stored));
    const explained = verdict ? ["right", "revealed"].includes(verdict.outcome) : stored;
    const cited = source && explained;
    this.part("source").replaceChildren(...(cited ? [strings.source, ...linked(source)] : []));
    const asked = explained ? [] : hints.slice(0, this.hinted);
    const items = asked.map((hint) => build("li", emphasised(hint)));
    this.part("hints").replaceChildren(...items);
  }

  /** @param {Verdict | null} verdict @param {Answered} [stored] @returns {(string | Node)[]} */
  verdict(verdict, stored) {
    const { outcome, text } = verdict ?? { outcome: "right", text: stored?.text };
    if (!text) return [];
    const seen = stored?.seen && outcome === "right";
    const name = outcome === "right" ? "right-mark" : "wrong-mark";
    const mark = build(`span.${name}`, seen ? "◐" : MARKS[outcome]);
    return [mark, " ", ...emphasised(sentences([text, seen && this.data.strings.revealed]))];
  }

  /** @param {Verdict | null} verdict @param {Answered} [stored] */
  drawAnswers(verdict, stored) {
    const { kind, options = [], hints = [], rule = "", strings } = this.data;
    // An unchanged question keeps its fields, and with them the text that is being typed.
    const drawn = JSON.stringify([this.data.place, verdict, stored]);
    if (drawn === this.drawn) return;
    this.drawn = drawn;
    const right = stored && !stored.seen ? { answer: stored.answer, outcome: "right" } : null;
    const chosen = verdict ?? right;
    const fields =
      kind === "number"
        ? this.numberFields(chosen?.answer ?? "", chosen?.outcome)
        : options.map((option) => this.option(option, chosen));
    const showHint = () => {
      this.hinted = Math.min(this.hinted + 1, hints.length);
      hint.disabled = this.hinted === hints.length;
      this.drawBody();
    };
    const hint = button(strings.hint, showHint, { className: "quiet", hidden: !hints.length });
    const exact = build("span.rule", rule);
    const answers = this.part("answers");
    const controls = answers.getElementsByTagName("*");
    const focused = [...controls].findIndex((each) => each.matches(":focus"));
    answers.replaceChildren(...fields, exact, hint);
    // New controls replace the old ones: without this, the focus would return to the page's start.
    // In present mode, the next Enter is not for them.
    if (document.documentElement.dataset.present) return;
    /** @type {HTMLElement} */ (controls[focused])?.focus({ preventScroll: true });
  }

  /** @param {string} value @param {string} [outcome] @returns {HTMLElement[]} */
  numberFields(value, outcome) {
    const { number, check } = this.data.strings;
    const input = build("input", { inputMode: "decimal", autocomplete: "off", size: 10, value });
    const onclick = () =>
      input.value.trim() ? this.act("answer", input.value.trim()) : input.focus();
    // The Enter key submits the form, too.
    const busy = { onclick, ariaBusy: String(outcome === "checking") };
    return [build("label", number, input), build("button", busy, check)];
  }

  /** @param {string} option @param {{ answer: string, outcome: string } | null} chosen */
  option(option, chosen) {
    const className = chosen?.answer === option ? chosen.outcome : "";
    const ariaBusy = String(className === "checking");
    const properties = { className, ariaBusy, "aria-pressed": String(className !== "") };
    return button(option, () => this.act("answer", option), properties);
  }
}

export default mount(".lesson", Lesson);
