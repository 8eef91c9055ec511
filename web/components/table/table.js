// A table of which a click, or Enter, selects a row; a click on a heading sorts the rows.

import { buttonOf, element } from "../common/element.js";
import { find, focusedElement } from "../common/find.js";
import { mount } from "../common/mount.js";
import { Part } from "../common/part.js";
import { roving } from "../common/roving.js";

/**
 * Numbers have `digits` decimals, `percent` ones are shares; a bar is full at 1. Null is no number.
 *
 * @typedef {{ title: string, help?: string, digits?: number, percent?: boolean, bar?: boolean }} Column
 * @typedef {{ label: string, columns: Record<string, Column>, rows: (string | number | null)[][],
 *   marked: number | null, high: number }} TableData
 */

/** @extends {Part<TableData>} */
class Table extends Part {
  table = find(this.root, "table");
  head = find(this.root, "thead");
  body = find(this.root, "tbody");
  settle = roving(this.body, () => /** @type {HTMLElement[]} */ ([...this.body.children]));
  marked = /** @type {number | null} */ (null);
  sorted = /** @type {{ column: number, up: boolean } | undefined} */ (undefined);

  /** @param {Component<TableData>} component */
  receive({ data }) {
    const moved = data.marked !== this.marked;
    this.marked = data.marked;
    this.data = data;
    this.table.ariaLabel = data.label;
    this.root.style.setProperty("--rows", String(data.high));
    this.draw();
    if (moved) this.reveal();
  }

  draw() {
    const columns = Object.values(this.data.columns);
    const focused = focusedElement(this.body)?.dataset.row;
    this.head.replaceChildren(
      element("tr", "", ...columns.map((column, at) => this.heading(column, at))),
    );
    this.body.replaceChildren(...this.order().map((row) => this.row(row, columns)));
    this.settle();
    this.rowOf(focused)?.focus();
  }

  /** @param {Column} column @param {number} at */
  heading({ title, help = "", digits }, at) {
    const sort = () => {
      const again = this.sorted?.column === at;
      // The largest number first, the first word first.
      this.sorted = { column: at, up: again ? !this.sorted?.up : digits === undefined };
      this.draw();
      this.reveal();
    };
    const cell = element("th", digits === undefined ? "" : "number", buttonOf("", title, sort));
    cell.title = help;
    if (this.sorted?.column === at) cell.ariaSort = this.sorted.up ? "ascending" : "descending";
    return cell;
  }

  /** @returns {number[]} numbers of the rows, as they are sorted */
  order() {
    const rows = [...this.data.rows.keys()];
    if (!this.sorted) return rows;
    const { column, up } = this.sorted;
    const at = (/** @type {number} */ row) => this.data.rows[row][column];
    const known = rows.filter((row) => at(row) !== null);
    const { compare } = new Intl.Collator(undefined, { numeric: true });
    const compared = (/** @type {any} */ one, /** @type {any} */ other) =>
      typeof one === "number" ? one - other : compare(one, other);
    known.sort((a, b) => compared(at(a), at(b)) * (up ? 1 : -1));
    return [...known, ...rows.filter((row) => at(row) === null)];
  }

  /** @param {number} row @param {Column[]} columns */
  row(row, columns) {
    const cells = this.data.rows[row].map((value, at) => cell(value, columns[at]));
    const line = element("tr", "", ...cells);
    line.dataset.row = String(row);
    line.ariaSelected = String(row === this.marked);
    line.onclick = () => this.select(row);
    line.onkeydown = (event) => {
      if (event.key !== "Enter" && event.key !== " ") return;
      event.preventDefault();
      this.select(row);
    };
    return line;
  }

  /** Mark a row before the server answers. @param {number} row */
  select(row) {
    this.rowOf(this.marked)?.setAttribute("aria-selected", "false");
    this.rowOf(row)?.setAttribute("aria-selected", "true");
    this.marked = row;
    this.send("picked", { row });
  }

  /** @param {number | string | null | undefined} row @returns {HTMLElement | null} */
  rowOf(row) {
    return this.body.querySelector(`[data-row="${row}"]`);
  }

  /** Scroll the table, not the page, to its marked row. */
  reveal() {
    const marked = this.rowOf(this.marked);
    if (!marked) return;
    const above = marked.offsetTop - this.head.offsetHeight;
    const below = marked.offsetTop + marked.offsetHeight - this.root.clientHeight;
    this.root.scrollTop = Math.max(below, Math.min(above, this.root.scrollTop));
  }
}

/** @param {string | number | null} value @param {Column} column */
function cell(value, { digits, percent, bar }) {
  const text = typeof value === "number" ? written(value, digits ?? 0, percent) : (value ?? "–");
  const made = element("td", digits === undefined ? "" : "number", text);
  made.classList.toggle("bar", Boolean(bar));
  if (bar) made.style.setProperty("--part", `${100 * Number(value)}%`);
  return made;
}

/** @param {number} value @param {number} digits @param {boolean} [percent] */
function written(value, digits, percent) {
  return percent ? `${(100 * value).toFixed(digits)}%` : value.toFixed(digits);
}

export default mount(".table", Table);
