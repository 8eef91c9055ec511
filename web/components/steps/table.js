// One matrix as a table with keyboard navigation.

import { element } from "../common/element.js";
import { formula } from "../common/formula.js";
import { formatNumber } from "./spell.js";

/** @type {Record<string, [down: number, across: number]>} */
const STEPS = { ArrowDown: [1, 0], ArrowUp: [-1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };

/**
 * @param {string} name
 * @param {CalculationMatrix} matrix
 * @param {(row: number, column: number) => void} act called with a cell that is clicked
 * @returns the table in its box, its cells, and a function that renames its axes
 */
export function tableOf(name, matrix, act) {
  const box = element("div", "matrix");
  const title = element("div", "name");
  title.append(formula(matrix.symbol));
  const scroll = element("div", "scroll");
  const table = document.createElement("table");
  table.dataset.matrix = name;
  table.setAttribute("aria-label", matrix.label);
  scroll.append(table);
  box.append(title, scroll);
  const cells = rowsOf(table, matrix, act);
  const label = (/** @type {CalculationMatrix} */ named) => relabel(table, named);
  return { box, cells, label };
}

/**
 * @param {HTMLTableElement} table
 * @param {CalculationMatrix} matrix
 * @param {(row: number, column: number) => void} act
 * @returns {CalculationCell[]}
 */
function rowsOf(table, matrix, act) {
  const [left, right] = matrix.shownColumns;
  const [first, last] = matrix.shownRows;
  const moreColumns = matrix.moreColumns + matrix.columns.length - (right - left);
  const moreRows = matrix.moreRows + matrix.rows.length - (last - first);
  const top = table.insertRow();
  for (const text of ["", ...matrix.columns.slice(left, right)]) top.append(heading(text));
  if (moreColumns) top.append(heading(`… ${moreColumns}`));
  /** @type {CalculationCell[]} */
  const cells = [];
  for (let i = first; i < last; i++) {
    const row = table.insertRow();
    row.append(heading(matrix.rows[i]));
    for (let j = left; j < right; j++) {
      const element = cellOf(row, () => act(i, j));
      element.tabIndex = i === first && j === left ? 0 : -1;
      cells.push({ element, i, j });
    }
    if (moreColumns) more(row);
  }
  if (moreRows) {
    const row = table.insertRow();
    row.append(heading(`… ${moreRows}`));
    for (let j = left; j < right + (moreColumns ? 1 : 0); j++) more(row);
  }
  return cells;
}

/** @param {HTMLTableElement} table @param {CalculationMatrix} matrix with the new names */
function relabel(table, { rows, columns, shownRows, shownColumns }) {
  const write = (/** @type {HTMLElement} */ cell, /** @type {string} */ text) => {
    if (cell.textContent === text) return;
    cell.textContent = cell.title = text;
  };
  columns.slice(...shownColumns).forEach((text, j) => write(table.rows[0].cells[j + 1], text));
  rows.slice(...shownRows).forEach((text, i) => write(table.rows[i + 1].cells[0], text));
}

/** @param {HTMLTableRowElement} row @param {() => void} act */
function cellOf(row, act) {
  const cell = row.insertCell();
  cell.onclick = act;
  cell.onkeydown = (event) => {
    const [down, across] = STEPS[event.key] ?? [0, 0];
    if (event.key === "Enter" || event.key === " ") act();
    else if (down || across) {
      const next = cell.closest("table")?.rows[row.rowIndex + down]?.cells[cell.cellIndex + across];
      if (next?.tagName === "TD") next.focus();
    } else return;
    event.preventDefault();
  };
  return cell;
}

/**
 * Write changed numbers into the cells.
 *
 * @param {CalculationCell[]} cells
 * @param {CalculationMatrix} matrix
 * @param {number} decimals
 * @param {boolean} shaded whether the cells are coloured by their values
 */
export function fill(cells, { values, boolean }, decimals, shaded) {
  for (const cell of cells) {
    const { element, i, j } = cell;
    const value = values[i][j];
    if (cell.value === value && cell.decimals === decimals) continue; // unchanged
    Object.assign(cell, { value, decimals });
    element.textContent = boolean ? (value ? "✓" : "✗") : formatNumber(value, decimals);
    element.title = boolean ? "" : String(value).replace("-inf", "−∞");
    if (boolean) {
      element.classList.add("toggle");
      element.classList.toggle("no", !value);
    }
    const share = typeof value === "number" ? Math.min(value, 1) * 0.75 : 0;
    if (shaded) element.style.setProperty("--share", String(share));
  }
}

/** @param {string} text */
function heading(text) {
  const cell = element("th", "", text);
  cell.title = text;
  return cell;
}

/** @param {HTMLTableRowElement} row */
function more(row) {
  const cell = row.insertCell();
  cell.className = "more";
  cell.textContent = "…";
}
