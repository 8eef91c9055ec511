// One matrix as a table that is walked through with the arrow keys.

import { formula } from "../common/formula.js";
import { say } from "./spell.js";

const STEPS = { ArrowDown: [1, 0], ArrowUp: [-1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };

// The table in its box, its cells, and what writes other names on its axes; `act` is told which cell
// is clicked.
export function tableOf(name, matrix, act) {
  const box = build("div", "matrix");
  const title = build("div", "name");
  title.append(formula(matrix.symbol));
  const scroll = build("div", "scroll");
  const table = document.createElement("table");
  table.dataset.matrix = name;
  table.setAttribute("aria-label", matrix.label);
  scroll.append(table);
  box.append(title, scroll);
  const cells = rowsOf(table, matrix, act);
  return { box, cells, label: (named) => relabel(table, named) };
}

function rowsOf(table, matrix, act) {
  const [left, right] = matrix.shownColumns;
  const [first, last] = matrix.shownRows;
  const moreColumns = matrix.moreColumns + matrix.columns.length - (right - left);
  const moreRows = matrix.moreRows + matrix.rows.length - (last - first);
  const top = table.insertRow();
  for (const text of ["", ...matrix.columns.slice(left, right)]) top.append(heading(text));
  if (moreColumns) top.append(heading(`… ${moreColumns}`));
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
    for (let j = left; j < right + Boolean(moreColumns); j++) more(row);
  }
  return cells;
}

function relabel(table, { rows, columns, shownRows, shownColumns }) {
  const write = (cell, text) => {
    if (cell.textContent === text) return;
    cell.textContent = cell.title = text;
  };
  columns.slice(...shownColumns).forEach((text, j) => write(table.rows[0].cells[j + 1], text));
  rows.slice(...shownRows).forEach((text, i) => write(table.rows[i + 1].cells[0], text));
}

function cellOf(row, act) {
  const cell = row.insertCell();
  cell.onclick = act;
  cell.onkeydown = (event) => {
    const [down, across] = STEPS[event.key] ?? [0, 0];
    if (event.key === "Enter" || event.key === " ") act();
    else if (down || across) {
      const table = cell.closest("table");
      const next = table.rows[row.rowIndex + down]?.cells[cell.cellIndex + across];
      if (next?.tagName === "TD") next.focus();
    } else return;
    event.preventDefault();
  };
  return cell;
}

// Write the numbers that have changed into the cells.
export function fill(cells, { values, boolean }, decimals, shaded) {
  for (const cell of cells) {
    const { element, i, j } = cell;
    const value = values[i][j];
    if (cell.value === value && cell.decimals === decimals) continue; // as it stands
    Object.assign(cell, { value, decimals });
    element.textContent = boolean ? (value ? "✓" : "✗") : say(value, decimals);
    element.title = boolean ? "" : String(value).replace("-inf", "−∞");
    if (boolean) {
      element.classList.add("toggle");
      element.classList.toggle("no", !value);
    }
    const share = typeof value === "number" ? Math.min(value, 1) * 0.75 : 0;
    if (shaded) element.style.setProperty("--share", share);
  }
}

function heading(text) {
  const cell = build("th", "", text);
  cell.title = text;
  return cell;
}

function more(row) {
  const cell = row.insertCell();
  cell.className = "more";
  cell.textContent = "…";
}

export function build(tag, className = "", text = "") {
  const element = document.createElement(tag);
  element.className = className;
  element.textContent = text;
  return element;
}
