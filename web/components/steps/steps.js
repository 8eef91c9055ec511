// A calculation step by step: matrices, and the arithmetic of the selected cells. All numbers come
// from the server (one exception: see spell.js). Token names are only written as textContent.

import { buttonOf, formula } from "../common/element.js";
import { find, findAll, focusedElement } from "../common/find.js";
import { mount } from "../common/mount.js";
import { Part } from "../common/part.js";
import { roving } from "../common/roving.js";
import { onPlay, roomBelow } from "../common/stage.js";
import { sentences } from "../common/sentences.js";
import { origin, resultOf, usedCells } from "./dependencies.js";
import { sectionOf } from "./sections.js";
import { arithmeticOf } from "./spell.js";

const BY_QUERY = ["pair", "context", "concatenated", "project_O"]; // families with a common selected row
const ALL = "all"; // in the wide layout: all steps in full, and not one query's rows

/** @extends {Part<Calculation>} with the last data without an error */
export class Steps extends Part {
  nav = find(this.root, "nav");
  cards = find(this.root, ".cards");
  above = find(this.root, ".problem");
  staged = false; // whether the steps are on a projector's screen
  /** @type {ReturnType<typeof sectionOf>[]} */
  sections = [];
  // The current selection, layout and titles as texts, to detect changes.
  look = "";
  shape = "";
  titles = "";
  /** @type {Record<string, [row: number, column: number]>} the selected cell of each family */
  chosen = {};
  last = ""; // the family of the last selection
  only = "";

  /** @param {Made} made */
  constructor(...made) {
    super(...made);
    const { signal } = this;
    this.settle = roving(this.nav, () => findAll(this.nav, "button"));
    window.addEventListener("headlight-present", () => this.present(), { signal });
    window.addEventListener("headlight-walk", (event) => this.walk(event), { signal });
    onPlay(() => this.step(1), signal);
  }

  /** @param {Component<CalculationData>} component */
  receive({ data }) {
    this.outbox.acknowledge(data.acknowledged);
    this.root.style.setProperty("--hue", data.hue);
    this.root.style.setProperty("--source", data.source);
    this.root.classList.toggle("waiting", data.waiting);
    this.showProblem(data.problem);
    if (data.waiting !== false) return; // the last valid steps stay, without their numbers
    const { data: last } = this;
    const before = this.mistake();
    this.data = data;
    this.staged = roomBelow(this.root) !== undefined;
    if (!last || (!this.outbox.stale && keyOf(data.look) !== this.look)) {
      // A link, Back or a preset has changed the selection; a click has already applied its own.
      const { card, family, row, column } = data.look;
      this.look = keyOf(data.look);
      this.only = card;
      this.chosen = {};
      this.last = "";
      if (family) this.choose(family, row, column);
    }
    const mistake = this.mistake();
    const chosen = last && mistake && mistake !== before;
    if (chosen && this.only) this.only = "mistake";
    this.draw();
    this.showProblem(data.problem);
    // Its card is the last one, far below the box in which it was chosen.
    if (chosen) this.sections.at(-1)?.root.scrollIntoView({ block: "center" });
  }

  /** The name of the classic mistake; undefined for none. */
  mistake() {
    return this.data?.cards.find((card) => card.id === "mistake")?.title;
  }

  /** In its step, or above the steps. @param {CalculationStatus["problem"]} problem */
  showProblem(problem) {
    const text = problem?.text ?? "";
    const section = this.sections.find((part) => part.card.id === problem?.card);
    this.above.textContent = section ? "" : text;
    for (const part of this.sections) part.problem.textContent = part === section ? text : "";
  }

  sendSelection() {
    const [row, column] = this.chosen[this.last] ?? [0, 0];
    const look = { card: this.only, family: this.last, row, column };
    this.look = keyOf(look);
    this.outbox.edit({ look });
  }

  /** @param {string} family @param {number} row @param {number} column */
  choose(family, row, column) {
    this.last = family;
    this.chosen[family] = [row, column];
    if (BY_QUERY.includes(family))
      for (const other of BY_QUERY) this.chosen[other] = [row, this.chosen[other]?.[1] ?? 0];
    if (family === "pair")
      for (const [given, at] of Object.entries({ Q: row, K: column, V: column }))
        this.chosen[given] = [at, this.chosen[given]?.[1] ?? 0];
  }

  /** The open step. On a projector one step fills the screen: the first if all are open. */
  get open() {
    if (this.only && this.only !== ALL) return this.only;
    return this.staged ? this.data.cards[0].id : "";
  }

  /** Whether only the rows of the selected query are shown. */
  get path() {
    return this.data.wide && !this.only && !this.staged;
  }

  present() {
    const staged = roomBelow(this.root) !== undefined;
    if (!this.data || staged === this.staged) return;
    this.staged = staged;
    this.draw();
  }

  /** @param {CustomEvent<Move>} event */
  walk(event) {
    const { across } = event.detail;
    if (event.defaultPrevented || !across || !this.staged) return;
    event.preventDefault();
    this.step(across);
  }

  /** @param {number} by number of steps; the first step follows the last */
  step(by) {
    const ids = this.data.cards.map((card) => card.id);
    this.openStep(ids[(ids.indexOf(this.open) + by + ids.length) % ids.length]);
    window.dispatchEvent(new Event("headlight-stage"));
  }

  draw() {
    const { cards, matrices } = this.data;
    this.root.classList.toggle("wide", this.data.wide);
    const sizes = Object.entries(matrices).map(([name, matrix]) => {
      const { rows, columns } = matrix;
      return { name, ...matrix, values: null, rows: rows.length, columns: columns.length };
    });
    const lines = cards.map((card) => [card.id, card.title, card.lines]);
    const shape = JSON.stringify([this.data.wide, lines, sizes]);
    if (shape !== this.shape) {
      this.shape = shape;
      this.sections = cards.map((card, index) => sectionOf(this, card, index));
      this.keepingFocus(() => this.cards.replaceChildren(...this.sections.map(({ root }) => root)));
    }
    const isWhole = this.data.wide && this.only === ALL;
    if (!isWhole && !cards.some((card) => card.id === this.only)) this.only = "";
    const { open } = this;
    this.root.classList.toggle("staged", this.staged);
    this.root.classList.toggle("path", this.path);
    this.drawNav();
    cards.forEach((card, index) => {
      const section = this.sections[index];
      for (const table of section.tables) table.fill();
      section.root.hidden = Boolean(open) && card.id !== open;
      section.formula.replaceChildren(formula(card.formula));
      const hint = card.id === "mask" && this.data.toggles ? [this.data.strings.toggle] : [];
      section.notes.textContent = sentences([...card.notes, ...hint]);
    });
    this.light();
  }

  /** The toolbar: all steps, or one. Later changes only mark the open step, which keeps the focus. */
  drawNav() {
    const { cards, strings, wide } = this.data;
    const steps = cards.map(({ id, title }, index) => [id, `${index + 1} ${title}`]);
    const whole = wide ? { "": strings.query, [ALL]: strings.all } : { "": strings.all };
    const named = [...Object.entries(whole), ...steps];
    const titles = JSON.stringify(named);
    if (titles !== this.titles) {
      this.titles = titles;
      this.nav.setAttribute("aria-label", strings.steps);
      const buttons = named.map(([id, title]) => {
        const button = buttonOf("", title, () => this.openStep(id));
        button.dataset.step = id;
        return button;
      });
      this.keepingFocus(() => this.nav.replaceChildren(...buttons));
      this.settle();
    }
    for (const button of findAll(this.nav, "button"))
      button.setAttribute("aria-pressed", String(button.dataset.step === (this.open || this.only)));
  }

  /** @param {string} id of a step; "" for all, in the wide layout for one query */
  openStep(id) {
    this.only = id;
    this.draw();
    this.sendSelection();
  }

  /** The focus returns to the element with the same name. @param {() => void} rebuild */
  keepingFocus(rebuild) {
    const nameOf = (/** @type {Element | null} */ element) => {
      if (!(element instanceof HTMLTableCellElement))
        return element?.closest("nav") && element.textContent;
      const card = element.closest("section")?.dataset.card;
      const matrix = element.closest("table")?.dataset.matrix;
      return [card, matrix, element.closest("tr")?.rowIndex, element.cellIndex].join();
    };
    const name = nameOf(focusedElement(this.root));
    rebuild();
    if (!name) return;
    const all = findAll(this.root, "nav button, td[tabindex]");
    all.find((element) => nameOf(element) === name)?.focus();
  }

  /** @param {string} name of a matrix @param {number} row @param {number} column of a click */
  act(name, row, column) {
    if (name === "allowed" && this.data.toggles) {
      const cell = `${row + this.data.offset}-${column}`;
      const { value } = this.outbox.edits.get(cell) ?? {};
      this.outbox.edit({ [cell]: !(value ?? this.data.matrices.allowed.values[row][column]) });
      return;
    }
    const [line, i, j] = origin(this.data, name, row, column, this.chosen.pair?.[1] ?? 0);
    if (!line) return;
    this.choose(line.family, i, j);
    this.light();
    this.sendSelection();
  }

  light() {
    for (const { card, tables, spelled } of this.sections) {
      for (const table of tables) {
        const { line, name, cells } = table;
        const chosen = this.place(line);
        const lit = chosen && usedCells(this.data, line, name, ...chosen);
        const mark = name === resultOf(line) ? "chosen" : "lit";
        for (const { element, i, j } of cells) {
          const on = lit && (lit[0] === null || lit[0] === i) && (lit[1] === null || lit[1] === j);
          element.classList.toggle(mark, Boolean(on));
        }
        table.showRows(this.path);
      }
      const rows = card.lines.flatMap((line) => {
        const chosen = this.place(line);
        return chosen ? arithmeticOf(this.data, line, ...chosen) : [];
      });
      spelled.replaceChildren(...rows);
    }
  }

  /** @type {(line: CalculationLine) => [row: number, column: number] | null} the selected cell */
  place(line) {
    const result = this.data.matrices[resultOf(line)];
    const [low, high] = result.shownColumns;
    const [row, column] = this.chosen[line.family] ?? [0, low];
    const end = result.shownRows[1];
    if (end === 0 || high === 0) return null;
    return [Math.min(row, end - 1), Math.min(Math.max(column, 0), result.columns.length - 1)];
  }
}

/** @param {CalculationSelection} look @returns {string} equal for equal selections */
function keyOf({ card, family, row, column }) {
  return [card, family, row, column].join();
}

export default mount(".steps", Steps);
