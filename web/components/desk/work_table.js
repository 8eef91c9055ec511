// The students' work on a lesson: a row for each student, a column for each step.

import { button, element, message } from "../classroom/dom.js";
import { range } from "../classroom/answers.js";
import { pseudonym } from "../classroom/pseudonym.js";
import { openPrivately, sentenceOf } from "../classroom/view_links.js";

const N_COLOURS = 6; // of wrong answers, in desk.css
const KNOWN = "⚑"; // a documented error
const SIGNS = { seen: "…", again: "", wrong: "", right: "✓ ", revealed: "◐ " };

/**
 * @typedef {object} StudentWork
 * @property {number} number in the room, from 1
 * @property {string | null} name given by the student
 * @property {string | null} note of the teacher
 * @property {number | null} step the newest one
 * @property {string | null} view the newest one
 * @property {Record<number, [answer: string, outcome: keyof typeof SIGNS, tries: number]>} work by step
 */

/**
 * @typedef {object} WorkActions
 * @property {(students: number[], note: string) => void} sendNote
 * @property {(label: string, view: string) => void} collect
 */

export class WorkTable {
  /**
   * @param {import("./desk.js").LessonChoice[]} lessons
   * @param {WorkActions} actions
   */
  constructor(lessons, actions) {
    this.lessons = lessons;
    this.actions = actions;
    this.students = /** @type {StudentWork[]} */ ([]);
    this.plan = /** @type {RoomPlan | null} */ (null);
    this.ended = false;
    /** The students with this answer to a step are shown. */
    this.filter = /** @type {AnswerFilter | null} */ (null);
    const redraw = () => this.redraw();
    /** @type {Map<number, Map<string, number>>} by step: the colour of each answer */
    this.colours = new Map();
    this.byNeed = element("input", { type: "checkbox", onchange: redraw });
    this.withNames = element("input", { type: "checkbox", onchange: redraw });
    this.noteButton = button("", () => this.note(this.shown()));
    this.tableBox = element("div.scroll", { tabIndex: 0, role: "region" });
    this.root = element(
      "div.work",
      element(
        "div.acts",
        element("label", this.byNeed, message("by_need")),
        element("label", this.withNames, message("with_names")),
        this.noteButton,
      ),
      element("p.small", message("work_words")),
      this.tableBox,
    );
  }

  /**
   * @param {{ lesson: string, students: StudentWork[] }} work
   * @param {RoomPlan} plan
   * @param {boolean} ended whether the room has ended, so that no note reaches a student
   */
  draw({ lesson, students }, plan, ended) {
    if (lesson !== plan.lesson) return;
    this.ended = ended;
    this.noteButton.hidden = ended;
    if (this.plan?.lesson !== lesson) {
      this.filter = null;
      this.colours.clear();
    }
    this.students = students;
    this.plan = plan;
    this.redraw();
  }

  /** @returns {StudentWork[]} the students of the filter, in order */
  shown() {
    const found = this.filter ? withAnswer(this.students, this.filter) : [...this.students];
    if (!this.byNeed.checked || !this.plan) return found;
    const { first, last } = this.plan;
    const needs = new Map(found.map((student) => [student, need(student, first, last)]));
    return found.sort((one, other) => (needs.get(other) ?? 0) - (needs.get(one) ?? 0));
  }

  redraw() {
    const { plan } = this;
    if (!plan) return;
    const focused = this.focusedKey();
    const steps = range(plan.views.length).map((i) => i + 1);
    const columns = steps.map((step) => answersTo(this.students, step));
    const students = this.shown();
    this.noteButton.textContent = message("note_to", { count: students.length });
    this.noteButton.disabled = !students.length;
    this.tableBox.ariaLabel = message("work_name");
    this.tableBox.replaceChildren(
      element(
        "table",
        element(
          "thead",
          element(
            "tr",
            element("th", { scope: "col" }, message("students")),
            steps.map((step) =>
              element(
                "th",
                { scope: "col", className: isOpen(plan, step) ? "open" : "" },
                message("step", { step }),
                element(
                  "div.answers",
                  this.answerButtons(step, columns[step - 1]),
                  step <= plan.last && this.missingButton(step),
                ),
              ),
            ),
          ),
        ),
        element(
          "tbody",
          students.map((student) => this.row(student, steps)),
        ),
      ),
    );
    if (focused) this.tableBox.querySelector(`[data-key="${CSS.escape(focused)}"]`)?.focus();
  }

  focusedKey() {
    const root = /** @type {ShadowRoot | Document} */ (this.root.getRootNode());
    return /** @type {HTMLElement | null} */ (root.activeElement)?.dataset?.key;
  }

  /** @param {number} step @param {AnswerCount[]} answers */
  answerButtons(step, answers) {
    return answers.map(({ answer, count, right }) => {
      const error = documentedError(this.lessons, this.plan?.lesson, step, answer);
      const label = `${error ? `${KNOWN} ` : ""}${answer} ${count}`;
      const made = this.filterButton(label, { step, answer }, this.colour(step, answer, right));
      if (error) {
        const { concept, source } = error;
        made.title = message("documented_error", { concept, source: source || "–" });
      }
      return made;
    });
  }

  /** @param {number} step @returns {HTMLElement | null} null if every student has answered */
  missingButton(step) {
    const filter = { step, answer: "" };
    const count = withAnswer(this.students, filter).length;
    if (!count && !this.isPressed(filter)) return null;
    return this.filterButton(message("no_answer", { count }), filter, "none");
  }

  /** @param {AnswerFilter} filter */
  isPressed({ step, answer }) {
    return this.filter?.step === step && this.filter.answer === answer;
  }

  /** @param {string} label @param {AnswerFilter} filter @param {string} colour a CSS class */
  filterButton(label, filter, colour) {
    const pressed = this.isPressed(filter);
    const toggle = () => {
      this.filter = pressed ? null : filter;
      this.redraw();
    };
    return button(label, toggle, {
      className: `answer ${colour}`,
      "aria-pressed": String(pressed),
      "data-key": `${filter.step} ${filter.answer}`,
    });
  }

  /** @param {StudentWork} student @param {number[]} steps */
  row(student, steps) {
    const { number, name, view, note, work, step: at } = student;
    const label = (this.withNames.checked && name) || pseudonym(number);
    return element(
      "tr",
      element(
        "th",
        { scope: "row" },
        view
          ? button(label, () => openPrivately(view), {
              title: message("open_view", { sentence: sentenceOf(view) ?? "" }),
              className: "who",
              "data-key": String(number),
            })
          : label,
        !this.ended &&
          button("✎", () => this.note([student]), {
            className: "sign",
            title: note ? message("note_sent", { note }) : message("note_one"),
            ariaLabel: message("note_one"),
            "data-key": `note ${number}`,
          }),
        view && !this.ended && this.collectButton(label, student),
      ),
      steps.map((step) => {
        const [answer, outcome, tries] = work[step] ?? ["", "", 0];
        const sign = outcome ? SIGNS[outcome] : "";
        const several = tries > 1 ? ` ×${tries}` : "";
        const className = answer ? this.colour(step, answer, outcome === "right") : "";
        const here = at === step ? "here" : "";
        return element("td", { className: `${className} ${here}` }, `${sign}${answer}${several}`);
      }),
    );
  }

  /** @param {string} name @param {StudentWork} student */
  collectButton(name, { number, view, step, work }) {
    const [answer] = work[step ?? 0] ?? [""];
    const label = [name, answer || sentenceOf(view ?? "")].filter(Boolean).join(" · ");
    return button("+", () => this.actions.collect(label, view ?? ""), {
      className: "sign",
      title: message("collect_student"),
      ariaLabel: message("collect_student"),
      "data-key": `collect ${number}`,
    });
  }

  /**
   * An answer keeps its colour while others arrive.
   *
   * @param {number} step
   * @param {string} answer
   * @param {boolean} right
   * @returns {string} a CSS class
   */
  colour(step, answer, right) {
    if (right) return "right";
    const known = this.colours.get(step) ?? new Map();
    this.colours.set(step, known);
    if (!known.has(answer)) known.set(answer, known.size % N_COLOURS);
    return `other${known.get(answer)}`;
  }

  /** @param {StudentWork[]} students */
  note(students) {
    const text = window.prompt(message("note_ask", { count: students.length }));
    if (text !== null)
      this.actions.sendNote(
        students.map(({ number }) => number),
        text,
      );
  }
}

/** @typedef {{ step: number, answer: string }} AnswerFilter an empty answer: none was given */

/**
 * @param {StudentWork[]} students
 * @param {AnswerFilter} filter
 * @returns {StudentWork[]} those whose newest answer to the step is this one
 */
export function withAnswer(students, { step, answer }) {
  return students.filter(({ work }) => (work[step]?.[0] ?? "") === answer);
}

/**
 * @param {import("./desk.js").LessonChoice[]} lessons
 * @param {string | undefined} name of the lesson
 * @param {number} step
 * @param {string} answer
 * @returns {{ concept: string, source: string } | null} what the answer to the step shows, if it is
 *   an error that other learners made
 */
export function documentedError(lessons, name, step, answer) {
  const lesson = lessons.find((each) => each.name === name);
  if (!lesson?.errors[step - 1]?.includes(answer)) return null;
  return { concept: lesson.concepts[step - 1], source: lesson.sources[step - 1] };
}

/** @typedef {{ answer: string, count: number, right: boolean }} AnswerCount */

/**
 * @param {StudentWork[]} students
 * @param {number} step
 * @returns {AnswerCount[]} the newest answers, the most frequent first
 */
export function answersTo(students, step) {
  /** @type {Map<string, AnswerCount>} */
  const found = new Map();
  for (const { work } of students) {
    const [answer, outcome] = work[step] ?? ["", "seen"];
    if (!answer) continue;
    const entry = found.get(answer) ?? { answer, count: 0, right: false };
    entry.count += 1;
    entry.right ||= outcome === "right";
    found.set(answer, entry);
  }
  return [...found.values()].sort((one, other) => other.count - one.count);
}

/**
 * @param {StudentWork} student
 * @param {number} first open step
 * @param {number} last open step
 * @returns {number} larger for a student who needs more help; an open step without an answer counts
 */
export function need({ work }, first, last) {
  const points = { seen: 0, right: 0, again: 1, wrong: 2, revealed: 2 };
  const missing = range(last - first + 1).filter((i) => !work[first + i]?.[0]);
  return Object.values(work).reduce(
    (sum, [, outcome, tries]) => sum + points[outcome] + Math.max(0, tries - 1),
    missing.length,
  );
}

/** @param {RoomPlan} plan @param {number} step */
function isOpen({ first, last }, step) {
  return first <= step && step <= last;
}
