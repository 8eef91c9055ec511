// Editor of a mask: queries down, keys across. A click or a drag allows or hides cells. On a phone a
// tap changes one cell, because a drag scrolls the page.

import { nameStep } from "../common/canvas.js";
import { element } from "../common/element.js";
import { find, unset } from "../common/find.js";
import { mount } from "../common/mount.js";
import { Part } from "../common/part.js";
import { stepped } from "../common/roving.js";

const NAME = 9; // pixels of the height of a name
const MAX_LETTERS = 12;

/** @typedef {{ row: number, column: number }} Cell */

/**
 * Names of the tokens; a text for each row, with 1 for an allowed cell and 0 for another; CSS pixels
 * of the height of all cells, and of the column names; colour of allowed cells.
 *
 * @typedef {{ labels: string[], rows: string[], height: number, above: number, rgb: Rgb,
 *   acknowledged: number, strings: Record<string, string> }} MaskData
 */

/** @extends {Part<MaskData>} */
class Mask extends Part {
  title = find(this.root, ".title");
  grid = find(this.root, ".cells");
  status = find(this.root, ".said");
  /** @type {boolean[][]} whether each cell is allowed */
  rows = unset();
  /** @type {HTMLElement[][]} */
  cells = [];
  at = { row: 0, column: 0 };
  /** @type {{ allow: boolean, last: Cell } | null} the current drag */
  paint = null;

  /** @param {Component<MaskData>} component */
  receive({ data }) {
    this.outbox.acknowledge(data.acknowledged);
    const count = data.labels.length;
    this.data = data;
    if (count !== this.rows?.length || !this.outbox.stale)
      this.rows = data.rows.map((row) => [...row].map((cell) => cell === "1"));
    const { row, column } = this.at;
    this.at = { row: Math.min(row, count - 1), column: Math.min(column, count - 1) };
    this.title.textContent = data.strings.title;
    this.build();
    this.describe(null);
    this.draw();
  }

  commit() {
    this.outbox.edit({ rows: this.rows.map((row) => row.map(Number).join("")) });
  }

  /** @param {PointerEvent} event */
  press(event) {
    const cell = this.under(event);
    if (!cell || event.button) return;
    this.at = cell;
    this.paint = { allow: !this.rows[cell.row][cell.column], last: cell };
    if (event.pointerType === "touch") return; // it may start a scroll
    this.grid.setPointerCapture(event.pointerId);
    this.set(cell, this.paint.allow);
  }

  /** @param {PointerEvent} event */
  move(event) {
    const cell = this.under(event);
    this.describe(cell);
    if (!cell || !this.paint || event.pointerType === "touch") return;
    for (const passed of between(this.paint.last, cell)) this.set(passed, this.paint.allow);
    this.paint.last = this.at = cell;
  }

  /** @param {PointerEvent} event */
  release(event) {
    if (!this.paint) return;
    if (event.pointerType === "touch") this.set(this.at, this.paint.allow);
    this.paint = null;
    this.commit();
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    const { row, column } = this.at;
    const count = this.rows.length;
    if (event.key === " " || event.key === "Enter") {
      this.set(this.at, !this.rows[row][column]);
      this.commit();
    } else {
      const next = stepped(event.key, row * count + column, count ** 2, count);
      if (next === undefined) return;
      this.at = { row: Math.floor(next / count), column: next % count };
      this.draw();
    }
    this.describe(this.at);
    event.preventDefault();
  }

  /** @param {Cell} cell @param {boolean} allow */
  set({ row, column }, allow) {
    this.rows[row][column] = allow;
    this.draw();
  }

  /** @param {Cell | null} cell */
  describe(cell) {
    const { labels, strings } = this.data;
    const state = cell && (this.rows[cell.row][cell.column] ? strings.allowed : strings.hidden);
    const text = cell && `${labels[cell.row]} → ${labels[cell.column]}: ${state}`;
    this.status.textContent = text ?? strings.hint;
  }

  /** @param {PointerEvent} event @returns {Cell | null} the cell under the pointer */
  under(event) {
    const count = this.rows.length;
    const first = this.cells[0][0].getBoundingClientRect();
    const last = this.cells[count - 1][count - 1].getBoundingClientRect();
    const row = Math.floor(((event.clientY - first.top) / (last.bottom - first.top)) * count);
    const column = Math.floor(((event.clientX - first.left) / (last.right - first.left)) * count);
    return row >= 0 && column >= 0 && row < count && column < count ? { row, column } : null;
  }

  build() {
    const { grid } = this;
    grid.onpointerdown = (event) => this.press(event);
    grid.onpointermove = (event) => this.move(event);
    grid.onpointerup = (event) => this.release(event);
    grid.onpointercancel = () => (this.paint = null);
    grid.onpointerleave = () => this.describe(null);
    grid.onkeydown = (event) => this.key(event);
    const { labels, height, above, rgb, strings } = this.data;
    const every = nameStep(NAME, height / labels.length);
    const names = labels.map((label, place) => (place % every ? "" : shortName(label)));
    this.cells = labels.map(() => labels.map(() => element("i")));
    const columns = names.map((name) => element("b", "column", name));
    const rows = names.flatMap((name, row) => [element("b", "row", name), ...this.cells[row]]);
    grid.replaceChildren(element("b"), ...columns, ...rows);
    grid.setAttribute("aria-label", strings.label);
    const sizes = { count: String(labels.length), height: `${height}px`, above: `${above}px` };
    for (const [key, value] of Object.entries({ ...sizes, hue: rgb.join() }))
      grid.style.setProperty(`--${key}`, value);
  }

  draw() {
    this.cells.forEach((row, i) =>
      row.forEach((cell, j) => {
        cell.classList.toggle("allowed", this.rows[i][j]);
        cell.classList.toggle("at", this.at.row === i && this.at.column === j);
      }),
    );
  }
}

/** With the cells that a fast drag skips. @param {Cell} from @param {Cell} to @returns {Cell[]} */
function between(from, to) {
  const [down, across] = [to.row - from.row, to.column - from.column];
  const steps = Math.max(Math.abs(down), Math.abs(across));
  return Array.from({ length: steps + 1 }, (_, step) => ({
    row: from.row + Math.round((down * step) / (steps || 1)),
    column: from.column + Math.round((across * step) / (steps || 1)),
  }));
}

/** @param {string} name */
function shortName(name) {
  return name.length > MAX_LETTERS ? `${name.slice(0, MAX_LETTERS - 1)}…` : name;
}

export default mount(".mask", Mask);
