// One matrix as a table with keyboard navigation.

import { element, formula } from "../common/element.js";
import { roving } from "../common/roving.js";
import { formatNumber } from "./spell.js";

const SHADED = /(^|_)weights$/; // including wrong weights

export class MatrixTable {
  cells = /** @type {CalculationCell[]} */ ([]);
  table = element("table");

  /** @param {string} name @param {CalculationLine} line @param {import("./steps.js").Steps} steps */
  constructor(name, line, steps) {
    this.name = name;
    this.line = line;
    this.steps = steps;
    const matrix = steps.data.matrices[name];
    this.table.dataset.matrix = name;
    this.table.setAttribute("aria-label", matrix.label);
    this.table.onkeydown = pressed;
    const [left, right] = matrix.shownColumns;
    const [first, last] = matrix.shownRows;
    const moreColumns = matrix.moreColumns + matrix.columns.length - (right - left);
    const moreRows = matrix.moreRows + matrix.rows.length - (last - first);
    const end = moreColumns ? [`+${moreColumns}`] : [];
    this.row(["", ...matrix.columns.slice(left, right), ...end]);
    for (let i = first; i < last; i++) {
      const row = this.row([matrix.rows[i]]);
      for (let j = left; j < right; j++) {
        const cell = row.insertCell();
        cell.onclick = () => steps.act(name, i, j);
        this.cells.push({ element: cell, i, j });
      }
      if (moreColumns) row.append(element("td", "more", "…"));
    }
    if (moreRows) {
      const row = this.row([`+${moreRows}`]);
      for (let j = left; j < right + end.length; j++) row.append(element("td", "more", "…"));
    }
    const title = element("div", "name", formula(matrix.symbol));
    this.box = element("div", "matrix", title, element("div", "scroll", this.table));
    const shown = () =>
      this.cells.map((cell) => cell.element).filter((cell) => !cell.closest("tr")?.hidden);
    this.settle = roving(this.table, shown, right - left); // moves the tab stop to a row that is shown
  }

  /** @param {boolean} marked whether only rows with a marked cell are shown */
  showRows(marked) {
    const rows = [...this.table.rows].slice(1);
    const shown = rows.filter((row) => !marked || row.querySelector(".lit, .chosen"));
    // Below several rows, "+12" counts those that are left out.
    const isEnd = (/** @type {HTMLTableRowElement} */ row) =>
      shown.length > 1 && row === rows[rows.length - 1];
    for (const row of rows) row.hidden = !shown.includes(row) && !isEnd(row);
    this.settle();
  }

  /** @param {string[]} names headings of a new row */
  row(names) {
    const row = this.table.insertRow();
    row.append(...names.map((name) => element("th", "", name)));
    return row;
  }

  /** Write changed names and numbers. */
  fill() {
    const { decimals, matrices } = this.steps.data;
    const { values, boolean, rows, columns, shownRows, shownColumns } = matrices[this.name];
    const write = (/** @type {HTMLElement} */ cell, /** @type {string} */ text) => {
      if (cell.textContent !== text) cell.textContent = text;
      cell.title = text;
    };
    const { rows: lines } = this.table;
    columns.slice(...shownColumns).forEach((text, j) => write(lines[0].cells[j + 1], text));
    rows.slice(...shownRows).forEach((text, i) => write(lines[i + 1].cells[0], text));
    for (const cell of this.cells) {
      const value = values[cell.i][cell.j];
      if (cell.value === value && cell.decimals === decimals) continue; // unchanged
      Object.assign(cell, { value, decimals });
      cell.element.textContent = boolean ? (value ? "✓" : "✗") : formatNumber(value, decimals);
      cell.element.title = boolean ? "" : String(value).replace("-inf", "−∞");
      if (boolean) cell.element.classList.add("toggle");
      cell.element.classList.toggle("no", value === false);
      const share = typeof value === "number" ? Math.min(value, 1) * 0.75 : 0;
      if (SHADED.test(this.name)) cell.element.style.setProperty("--share", String(share));
    }
  }
}

/** Select the focused cell. @param {KeyboardEvent} event */
function pressed(event) {
  if (event.key !== "Enter" && event.key !== " ") return;
  event.preventDefault();
  /** @type {HTMLElement} */ (event.target).click();
}
