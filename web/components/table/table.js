// A table of which a click, or Enter, selects a row.

import { element } from "../common/element.js";
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
  marked = /** @type {number | null} */ (null);
  settle = roving(this.body, () => /** @type {HTMLElement[]} */ ([...this.body.children]));

  /** @param {Component<TableData>} component */
  receive({ data }) {
    const moved = data.marked !== this.marked;
    const focused = focusedElement(this.body)?.dataset.row;
    this.marked = data.marked;
    this.table.ariaLabel = data.label;
    this.root.style.setProperty("--rows", String(data.high));
    const columns = Object.values(data.columns);
    this.head.replaceChildren(element("tr", "", ...columns.map(heading)));
    this.body.replaceChildren(...data.rows.map((cells, row) => this.row(row, cells, columns)));
    this.settle();
    this.rowOf(focused)?.focus();
    if (moved) this.reveal();
  }

  /** @param {number} row @param {(string | number | null)[]} cells @param {Column[]} columns */
  row(row, cells, columns) {
    const line = element("tr", "", ...cells.map((value, at) => cell(value, columns[at])));
    line.dataset.row = String(row);
    line.ariaSelected = String(row === this.marked);
    line.onclick = () => this.select(row);
    line.onkeydown = ({ key }) => key === "Enter" && this.select(row);
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

/** @param {Column} column */
function heading({ title, help = "", digits }) {
  const made = element("th", digits === undefined ? "" : "number", title);
  made.title = help;
  return made;
}

/** @param {string | number | null} value @param {Column} column */
function cell(value, { digits, percent, bar }) {
  const shown = percent
    ? `${(100 * Number(value)).toFixed(digits)}%`
    : Number(value)
        .toFixed(digits)
        .replace(/\B(?<!\.\d*)(?=(\d{3})+(?!\d))/g, ",");
  const text = typeof value === "number" ? shown.replace("-", "−") : (value ?? "–");
  const made = element("td", digits === undefined ? "" : "number", text);
  if (bar) made.classList.add("bar");
  if (bar) made.style.setProperty("--part", `${100 * Number(value)}%`);
  return made;
}

export default mount(".table", Table);
