// What a class knows before and after the lessons, by concept, from the CSV files of its rooms; and
// the statistics of the questions in several classes.

import { button, element, message } from "../classroom/dom.js";
import { quoted } from "../common/csv.js";
import { save } from "../common/saving.js";

const MIN_STUDENTS = 10; // for the discrimination of a question
const MAX_CSV_BYTES = 10_000_000; // of a file: the answers of 1,000 students have about 2 million
const CSV = "text/csv";
const ANSWER_COLUMNS = ["lesson", "step", "student", "outcome", "answer"];
const ITEM_COLUMNS = [
  "lesson",
  "step",
  "concept",
  "students",
  "difficulty",
  "documented_error",
  "classes",
  "discrimination",
  "discrimination_students",
  "source",
];

/**
 * @typedef {object} Answer
 * @property {string} lesson
 * @property {number} step
 * @property {string} student unique among all files
 * @property {string} answer
 * @property {boolean} right
 */

/**
 * @typedef {object} Item one question
 * @property {number} count of students who answered it
 * @property {number} right share of them
 * @property {number} error share of those whose answer is a documented error
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

/**
 * The statistics of a question in one class or in several, without students.
 *
 * @typedef {object} ItemStatistics
 * @property {string} lesson
 * @property {number} step
 * @property {string} concept
 * @property {number} students
 * @property {number} difficulty share that is right: the difficulty of classical test theory
 * @property {number} error share whose answer is a documented error
 * @property {number} classes
 * @property {number | null} discrimination mean over the classes that have one, by their students
 * @property {number} discriminated students of these classes
 * @property {string} source
 */

export class Gains {
  /**
   * @param {import("./desk.js").LessonChoice[]} lessons
   * @param {() => Promise<string>} loadOwn loads the CSV file of this room
   */
  constructor(lessons, loadOwn) {
    this.lessons = lessons;
    this.loadOwn = loadOwn;
    this.files = /** @type {string[]} */ ([]); // of answers
    this.statistics = /** @type {Map<string, ItemStatistics[]>} */ (new Map()); // by the file's text
    const input = element("input", {
      type: "file",
      accept: ".csv",
      multiple: true,
      hidden: true,
      onchange: async () => {
        await this.add([...(input.files ?? [])]);
        input.value = ""; // a corrected file can have the same name
      },
    });
    this.saveButton = button(message("gains_csv"), () =>
      saveCsv("headlight_gains.csv", this.rows()),
    );
    this.consent = element("input", { type: "checkbox", onchange: () => this.enable() });
    this.itemsButton = button(message("items_csv"), () =>
      saveCsv("headlight_items.csv", itemRows(itemsOf(this.tests ?? [], this.concepts ?? []))),
    );
    this.pooledButton = button(message("pooled_csv"), () =>
      saveCsv("headlight_items_pooled.csv", itemRows(this.pooled())),
    );
    this.refused = element("p.said", { role: "alert" });
    this.box = element("div.scroll", { tabIndex: 0, role: "region" });
    this.box.ariaLabel = message("gains_title");
    this.pooledBox = element("div.scroll", { tabIndex: 0, role: "region" });
    this.pooledBox.ariaLabel = message("pooled_title");
    this.pooledPart = element(
      "div",
      { hidden: true },
      element("h4", message("pooled_title")),
      element("p.small", message("pooled_words")),
      element("div.acts", this.pooledButton),
      this.pooledBox,
    );
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
      this.refused,
      this.box,
      this.pooledPart,
    );
  }

  /**
   * Add files of answers and of statistics. A file that is added twice counts once.
   *
   * @param {File[]} files
   */
  async add(files) {
    const refused = [];
    for (const file of files) {
      const text = file.size > MAX_CSV_BYTES ? "" : await file.text();
      const items = readItems(text);
      if (items) this.statistics.set(text, items);
      else if (!hasColumns(parseCsv(text)[0], ANSWER_COLUMNS)) refused.push(file.name);
      else if (!this.files.includes(text)) this.files.push(text);
    }
    const words = refused.map((file) => message("gains_refused", { file }));
    this.refused.textContent = words.join("\n");
    await this.draw();
  }

  /** @returns {ItemStatistics[]} of all files of statistics */
  pooled() {
    return poolItems([...this.statistics.values()].flat());
  }

  async draw() {
    const texts = [...this.files, await this.loadOwn()];
    const answers = texts.flatMap((text, index) => answersOf(text, index));
    this.tests = answeredTests(this.lessons, answers);
    this.concepts = conceptsOf(this.tests, answers);
    this.enable();
    const rows = this.rows();
    this.box.replaceChildren(rows.length > 1 ? table(rows) : element("p", message("gains_none")));
    this.pooledPart.hidden = !this.statistics.size;
    this.pooledBox.replaceChildren(table(this.pooledRows()));
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

  /** @returns {string[][]} the table of all classes, with its head */
  pooledRows() {
    const titles = new Map(this.lessons.map(({ name, title }) => [name, title]));
    const names = ["concept", "test", "students", "right", "error", "classes", "discrimination"];
    return [
      names.map((name) => message(`gains_${name}`)),
      ...this.pooled().map((item) => [
        item.concept,
        titles.get(item.lesson) ?? item.lesson,
        String(item.students),
        percent(item.difficulty),
        percent(item.error),
        String(item.classes),
        twoDecimals(item.discrimination),
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

/** @param {string[][]} rows the first is the head */
function table([head, ...rows]) {
  const cells = (/** @type {string[]} */ row, /** @type {string} */ tag) =>
    element(
      "tr",
      row.map((text) => element(tag, text)),
    );
  return element(
    "table",
    element("thead", cells(head, "th")),
    element(
      "tbody",
      rows.map((row) => cells(row, "td")),
    ),
  );
}

/**
 * @param {string} name of the file
 * @param {string[][]} rows
 */
function saveCsv(name, rows) {
  const lines = rows.map((row) => row.map(quoted).join(","));
  save(name, CSV, `${lines.join("\r\n")}\r\n`);
}

/**
 * @param {import("./desk.js").LessonChoice[]} tests
 * @param {Concept[]} concepts
 * @returns {ItemStatistics[]} of this class
 */
export function itemsOf(tests, concepts) {
  return tests.flatMap((test, index) =>
    concepts.flatMap(({ name, items }) => {
      const item = items[index];
      if (!item) return [];
      const at = test.concepts.indexOf(name);
      return {
        lesson: test.name,
        step: at + 1,
        concept: name,
        students: item.count,
        difficulty: item.right,
        error: item.error,
        classes: 1,
        discrimination: item.discrimination,
        discriminated: item.discrimination === null ? 0 : item.count,
        source: test.sources[at] ?? "",
      };
    }),
  );
}

/**
 * @param {ItemStatistics[]} items
 * @returns {string[][]} a table with its head, in the order of ITEM_COLUMNS
 */
export function itemRows(items) {
  const rows = items.map((item) => [
    item.lesson,
    String(item.step),
    item.concept,
    String(item.students),
    item.difficulty.toFixed(4),
    item.error.toFixed(4),
    String(item.classes),
    item.discrimination === null ? "" : item.discrimination.toFixed(4),
    String(item.discriminated),
    item.source,
  ]);
  return [ITEM_COLUMNS, ...rows];
}

/**
 * @param {string} text of a CSV file
 * @returns {ItemStatistics[] | null} null if it is no file of statistics, or a row is not valid
 */
export function readItems(text) {
  const [head, ...rows] = parseCsv(text);
  if (!hasColumns(head, ITEM_COLUMNS)) return null;
  const items = rows.map((row) => {
    const cell = (/** @type {string} */ name) => row[head.indexOf(name)] ?? "";
    const number = (/** @type {string} */ name) => (cell(name).trim() ? Number(cell(name)) : NaN);
    return {
      lesson: cell("lesson"),
      step: number("step"),
      concept: cell("concept"),
      students: number("students"),
      difficulty: number("difficulty"),
      error: number("documented_error"),
      classes: number("classes"),
      discrimination: cell("discrimination") === "" ? null : number("discrimination"),
      discriminated: number("discrimination_students"),
      source: cell("source"),
    };
  });
  return items.length && items.every(isValid) ? items : null;
}

/** @param {ItemStatistics} item */
function isValid(item) {
  const { step, students, difficulty, error, classes, discrimination, discriminated } = item;
  const isShare = (/** @type {number} */ share) => share >= 0 && share <= 1;
  return (
    [step, students, classes].every((count) => Number.isSafeInteger(count) && count > 0) &&
    Number.isSafeInteger(discriminated) &&
    isShare(difficulty) &&
    isShare(error) &&
    discriminated <= students &&
    (discrimination === null ? discriminated === 0 : discriminated > 0) &&
    Math.abs(discrimination ?? 0) <= 1
  );
}

/**
 * Students and classes are added. Shares are means weighted by students; the discrimination is one
 * over the classes that have it.
 *
 * @param {ItemStatistics[]} items of several classes
 * @returns {ItemStatistics[]} one for each question, in the order of the first file
 */
export function poolItems(items) {
  /** @type {Map<string, ItemStatistics[]>} */
  const byQuestion = new Map();
  for (const item of items) {
    const key = JSON.stringify([item.lesson, item.step, item.concept]);
    byQuestion.set(key, [...(byQuestion.get(key) ?? []), item]);
  }
  return [...byQuestion.values()].map((same) => {
    const sum = (/** @type {(item: ItemStatistics) => number} */ of) =>
      same.reduce((total, item) => total + of(item), 0);
    const students = sum((item) => item.students);
    const discriminated = sum((item) => item.discriminated);
    const weighted = sum((item) => item.discriminated * (item.discrimination ?? 0));
    return {
      ...same[0],
      students,
      difficulty: sum((item) => item.students * item.difficulty) / students,
      error: sum((item) => item.students * item.error) / students,
      classes: sum((item) => item.classes),
      discrimination: discriminated ? weighted / discriminated : null,
      discriminated,
    };
  });
}

/** @param {string[] | undefined} head @param {string[]} columns */
function hasColumns(head, columns) {
  return columns.every((name) => head?.includes(name));
}

/**
 * @param {string} text of a CSV file
 * @param {number} file its index, because students of two files differ
 * @returns {Answer[]} one for each student and step with an answer
 */
export function answersOf(text, file) {
  const [head = [], ...rows] = parseCsv(text);
  if (!hasColumns(head, ANSWER_COLUMNS)) return [];
  const [lesson, step, student, outcome, answer] = ANSWER_COLUMNS.map((name) => head.indexOf(name));
  return rows
    .filter((row) => row[answer])
    .map((row) => ({
      lesson: row[lesson],
      step: Number(row[step]),
      student: `${file}.${row[student]}`,
      answer: row[answer],
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
      const at = test.concepts.indexOf(name);
      return itemOf(own, at + 1, test.errors[at] ?? []);
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
 * @param {string[]} errors the answers that are documented errors
 * @returns {Item | null}
 */
function itemOf(answers, step, errors) {
  const given = answers.filter((each) => each.step === step);
  if (!given.length) return null;
  const points = given.map(({ right }) => Number(right));
  const rest = given.map(
    ({ student }) =>
      answers.filter((each) => each.student === student && each.step !== step && each.right).length,
  );
  const discrimination = given.length < MIN_STUDENTS ? null : correlation(points, rest);
  const error = mean(given.map(({ answer }) => Number(errors.includes(answer))));
  return { count: given.length, right: mean(points), error, discrimination };
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
