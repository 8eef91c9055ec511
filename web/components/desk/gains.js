// What a class knows before and after the lessons, by concept, from the CSV files of its rooms.

import { button, element, message } from "../classroom/dom.js";
import { save } from "../common/saving.js";

const MIN_STUDENTS = 10; // for the discrimination of a question
const CSV = "text/csv";

/**
 * @typedef {object} Answer
 * @property {string} lesson
 * @property {number} step
 * @property {string} student unique among all files
 * @property {boolean} right
 */

/**
 * @typedef {object} Item one question
 * @property {number} count of students who answered it
 * @property {number} right share of them
 * @property {number | null} discrimination correlation with the score on the other questions; null
 *   for fewer than MIN_STUDENTS students, or without variation
 */

/**
 * @typedef {object} Concept
 * @property {string} name
 * @property {(Item | null)[]} items one for each lesson; null without answers
 * @property {number | null} gain (after − before) / (1 − before), Hake's normalised gain; null
 *   without both, or if everybody was right before
 */

export class Gains {
  /**
   * @param {import("./desk.js").LessonChoice[]} lessons
   * @param {() => Promise<string>} loadOwn loads the CSV file of this room
   */
  constructor(lessons, loadOwn) {
    this.lessons = lessons;
    this.loadOwn = loadOwn;
    this.files = /** @type {string[]} */ ([]);
    const input = element("input", {
      type: "file",
      accept: ".csv",
      multiple: true,
      hidden: true,
      onchange: () => this.add([...(input.files ?? [])]),
    });
    this.saveButton = button(message("gains_csv"), () =>
      saveCsv("headlight_gains.csv", this.rows()),
    );
    this.consent = element("input", { type: "checkbox", onchange: () => this.enable() });
    this.itemsButton = button(message("items_csv"), () =>
      saveCsv("headlight_items.csv", itemRows(this.tests ?? [], this.concepts ?? [])),
    );
    this.box = element("div.scroll", { tabIndex: 0, role: "region" });
    this.box.ariaLabel = message("gains_title");
    this.root = element(
      "details.gains",
      { ontoggle: () => this.root.open && this.draw() },
      element("summary", message("gains_title")),
      element("p.small", message("gains_words")),
      element(
        "div.acts",
        button(message("gains_file"), () => input.click()),
        input,
        this.saveButton,
      ),
      element("label", this.consent, " ", message("items_consent")),
      element("div.acts", this.itemsButton),
      this.box,
    );
  }

  /** @param {File[]} files */
  async add(files) {
    this.files.push(...(await Promise.all(files.map((file) => file.text()))));
    await this.draw();
  }

  async draw() {
    const texts = [...this.files, await this.loadOwn()];
    const answers = texts.flatMap((text, index) => answersOf(text, index));
    this.tests = answeredTests(this.lessons, answers);
    this.concepts = conceptsOf(this.tests, answers);
    this.enable();
    const [head, ...rows] = this.rows();
    const cells = (/** @type {string[]} */ row, /** @type {string} */ tag) =>
      element(
        "tr",
        row.map((text) => element(tag, text)),
      );
    this.box.replaceChildren(
      rows.length
        ? element(
            "table",
            element("thead", cells(head, "th")),
            element(
              "tbody",
              rows.map((row) => cells(row, "td")),
            ),
          )
        : element("p", message("gains_none")),
    );
  }

  /** @returns {string[][]} the table with its head */
  rows() {
    const { tests = [], concepts = [] } = this;
    const names = ["gains_right", "gains_students", "gains_discrimination"];
    const head = tests.flatMap(({ title }) => names.map((name) => `${title} ${message(name)}`));
    return [
      [message("gains_concept"), ...head, message("gains_gain")],
      ...concepts.map(({ name, items, gain }) => [
        name,
        ...items.flatMap((item) => [
          percent(item?.right),
          String(item?.count ?? 0),
          twoDecimals(item?.discrimination),
        ]),
        twoDecimals(gain),
      ]),
    ];
  }

  /** Without the consent of the class, the statistics of the questions are not saved. */
  enable() {
    const none = !this.concepts?.length;
    this.saveButton.disabled = none;
    this.itemsButton.disabled = none || !this.consent.checked;
  }
}

/**
 * @param {string} name of the file
 * @param {string[][]} rows
 */
function saveCsv(name, rows) {
  const quoted = (/** @type {string} */ text) => `"${text.replaceAll('"', '""')}"`;
  const lines = rows.map((row) => row.map(quoted).join(","));
  save(name, CSV, `${lines.join("\r\n")}\r\n`);
}

/**
 * @param {import("./desk.js").LessonChoice[]} tests
 * @param {Concept[]} concepts
 * @returns {string[][]} the statistics of each question, without students; the share that is right
 *   is the difficulty of classical test theory
 */
export function itemRows(tests, concepts) {
  const exact = (/** @type {number | null} */ value) => (value === null ? "" : value.toFixed(4));
  const rows = tests.flatMap((test, index) =>
    concepts.flatMap(({ name, items }) => {
      const item = items[index];
      if (!item) return [];
      const step = String(test.concepts.indexOf(name) + 1);
      const { count, right, discrimination } = item;
      return [[test.name, step, name, String(count), exact(right), exact(discrimination)]];
    }),
  );
  return [["lesson", "step", "concept", "students", "difficulty", "discrimination"], ...rows];
}

/**
 * @param {string} text of a CSV file
 * @param {number} file its index, because students of two files differ
 * @returns {Answer[]} one for each student and step with an answer
 */
export function answersOf(text, file) {
  const [head = [], ...rows] = parseCsv(text);
  const column = (/** @type {string} */ name) => head.indexOf(name);
  const [lesson, step, student, outcome, answer] = [
    "lesson",
    "step",
    "student",
    "outcome",
    "answer",
  ].map(column);
  if (Math.min(lesson, step, student, outcome, answer) < 0) return [];
  return rows
    .filter((row) => row[answer])
    .map((row) => ({
      lesson: row[lesson],
      step: Number(row[step]),
      student: `${file}.${row[student]}`,
      right: row[outcome] === "right",
    }));
}

/**
 * @param {string} text
 * @returns {string[][]} the fields; a quoted field may contain commas, quotes and line breaks
 */
export function parseCsv(text) {
  const rows = [[""]];
  for (const [token, quoted] of text
    .replace(/^\ufeff/, "")
    .matchAll(/"((?:[^"]|"")*)"|,|\r?\n|[^",\r\n]+/g)) {
    const row = /** @type {string[]} */ (rows.at(-1));
    if (quoted !== undefined) row[row.length - 1] += quoted.replaceAll('""', '"');
    else if (token === ",") row.push("");
    else if (token.endsWith("\n")) rows.push([""]);
    else row[row.length - 1] += token;
  }
  return rows.filter((row) => row.length > 1 || row[0]);
}

/**
 * @param {import("./desk.js").LessonChoice[]} lessons
 * @param {Answer[]} answers
 * @returns {import("./desk.js").LessonChoice[]} the lessons with concepts and answers, in order
 */
export function answeredTests(lessons, answers) {
  const answered = new Set(answers.map(({ lesson }) => lesson));
  return lessons.filter(({ name, concepts }) => concepts.some(Boolean) && answered.has(name));
}

/**
 * @param {import("./desk.js").LessonChoice[]} tests
 * @param {Answer[]} answers
 * @returns {Concept[]}
 */
export function conceptsOf(tests, answers) {
  const names = [...new Set(tests.flatMap(({ concepts }) => concepts))].filter(Boolean);
  return names.map((name) => {
    const items = tests.map((test) => {
      const own = answers.filter(({ lesson }) => lesson === test.name);
      return itemOf(own, test.concepts.indexOf(name) + 1);
    });
    const [before, after] = [items[0], items.length > 1 ? items[items.length - 1] : null];
    const both = before && after && before.right < 1;
    const gain = both ? (after.right - before.right) / (1 - before.right) : null;
    return { name, items, gain };
  });
}

/**
 * @param {Answer[]} answers of one test
 * @param {number} step
 * @returns {Item | null}
 */
function itemOf(answers, step) {
  const given = answers.filter((each) => each.step === step);
  if (!given.length) return null;
  const points = given.map(({ right }) => Number(right));
  const rest = given.map(
    ({ student }) =>
      answers.filter((each) => each.student === student && each.step !== step && each.right).length,
  );
  const discrimination = given.length < MIN_STUDENTS ? null : correlation(points, rest);
  return { count: given.length, right: mean(points), discrimination };
}

/** @param {number[]} x @param {number[]} y @returns {number | null} null if one does not vary */
export function correlation(x, y) {
  const [mx, my] = [mean(x), mean(y)];
  const product = (
    /** @type {number[]} */ a,
    /** @type {number} */ ma,
    /** @type {number[]} */ b,
    /** @type {number} */ mb,
  ) => a.reduce((sum, value, index) => sum + (value - ma) * (b[index] - mb), 0);
  const spread = Math.sqrt(product(x, mx, x, mx) * product(y, my, y, my));
  return spread ? product(x, mx, y, my) / spread : null;
}

/** @param {number[]} values */
function mean(values) {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** @param {number | null | undefined} value @returns {string} never "-0.00" */
function twoDecimals(value) {
  return typeof value === "number" ? (Math.round(100 * value) / 100 + 0).toFixed(2) : "–";
}

/** @param {number | undefined} share */
function percent(share) {
  return share === undefined ? "–" : `${Math.round(100 * share)} %`;
}
