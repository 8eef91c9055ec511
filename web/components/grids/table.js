// One grid: its heading, its cells, and places for its messages.

import { buttonOf, element } from "../common/element.js";
import { focusedElement } from "../common/find.js";
import { formula } from "../common/formula.js";
import { stepTo } from "../mask/cells.js";

const [ON, OFF] = ["1", "0"];

/** @type {Record<string, number>} rows that a key moves down */
const STEPS = { Enter: 1, ArrowDown: 1, ArrowUp: -1 };

/**
 * Callbacks of a grid.
 *
 * @typedef {object} Acts
 * @property {(axis: GridAxis) => HTMLElement} sizes builds the buttons for its size
 * @property {(row: number, text: string) => void} named
 * @property {(row: number, column: number, text: string) => void} typed
 * @property {(event: ClipboardEvent, row: number, column: number) => void} pasted
 */

/**
 * @param {GridPayload} grid
 * @param {string[][]} cells
 * @param {Record<string, string>} strings
 * @param {Acts} acts
 * @returns {GridPart}
 */
export function gridOf(grid, cells, strings, acts) {
  const named = grid.sizes ? [acts.sizes("rows"), "×", acts.sizes("columns")] : [grid.title];
  const head = element("div", "head", formula(grid.symbol), ...named);
  /** @type {GridPart} */
  const part = {
    root: element("div", "grid"),
    problem: element("div", "problem"),
    cut: element("div", "cut"),
    names: [],
    inputs: [],
  };
  part.root.dataset.grid = grid.id;
  part.problem.role = "alert";
  part.cut.role = "status";
  const scroll = element("div", "scroll", tableOf(part, grid, cells, strings, acts));
  part.root.append(head, scroll, part.problem, part.cut);
  return part;
}

/**
 * Write text into the cells, except the focused one.
 *
 * @param {GridPart} part
 * @param {GridPayload} grid
 * @param {string[][]} cells
 * @param {string[]} names of its rows
 * @param {Record<string, string>} strings
 */
export function fill(part, grid, cells, names, strings) {
  part.names.forEach((place, row) => {
    const name = names[row] ?? "";
    if (place instanceof HTMLInputElement) {
      if (!isFocused(place)) place.value = name;
      place.placeholder = `${strings[grid.axis ?? ""]} ${row}`;
    } else place.textContent = grid.axis ? name : String(row);
  });
  part.inputs.forEach((inputs, row) =>
    inputs.forEach((input, column) => {
      const text = cells[row][column];
      if (grid.toggles) switchTo(input, grid.toggles, row, column, text === ON);
      else if (!isFocused(input)) input.value = text;
      if (input instanceof HTMLInputElement) input.readOnly = grid.locked;
      const at = grid.problem;
      const wrong = at && at.row === row && (at.column === null || at.column === column);
      input.setAttribute("aria-invalid", String(Boolean(wrong)));
      const place = input.closest("td");
      if (place) place.className = grid.marks?.[row]?.[column] ?? "";
    }),
  );
  part.problem.textContent = grid.problem?.text ?? "";
}

/**
 * Build the table, and add its inputs to `part`.
 *
 * @param {GridPart} part
 * @param {GridPayload} grid
 * @param {string[][]} cells
 * @param {Record<string, string>} strings
 * @param {Acts} acts
 */
function tableOf(part, grid, cells, strings, acts) {
  const table = element("table");
  table.setAttribute("aria-label", grid.label);
  const top = table.insertRow();
  top.append(element("th"));
  top.append(...(cells[0] ?? []).map((_, column) => element("th", "", String(column))));
  part.names = cells.map((row, i) => {
    const line = table.insertRow();
    const name = element("th");
    line.append(name);
    const inputs = row.map((_, j) => {
      const input = grid.toggles
        ? toggleOf(part, grid, i, j, acts)
        : cellOf(part, grid, i, j, acts);
      line.insertCell().append(input);
      return input;
    });
    part.inputs.push(inputs);
    return rowName(grid, i, name, strings, acts);
  });
  return table;
}

/**
 * @param {GridPayload} grid
 * @param {number} row
 * @param {HTMLElement} place the heading of the row
 * @param {Record<string, string>} strings
 * @param {Acts} acts
 * @returns {HTMLElement} the input for the name, or the heading if the name is fixed
 */
function rowName(grid, row, place, strings, acts) {
  if (!grid.axis || grid.locked) return place;
  const input = element("input");
  input.maxLength = 24;
  input.dataset.at = `${grid.id} name ${row}`;
  input.setAttribute("aria-label", `${strings.name} ${row}`);
  input.onchange = () => acts.named(row, input.value);
  place.append(input);
  return input;
}

/**
 * @param {GridPart} part
 * @param {GridPayload} grid
 * @param {number} row
 * @param {number} column
 * @param {Acts} acts
 * @returns {HTMLInputElement}
 */
function cellOf(part, grid, row, column, acts) {
  const input = element("input");
  input.inputMode = "text"; // a numeric keyboard has no minus on some phones
  input.autocomplete = "off";
  input.spellcheck = false;
  input.maxLength = 40;
  input.dataset.at = `${grid.id} ${row} ${column}`;
  input.setAttribute("aria-label", `${grid.label} ${row}, ${column}`);
  input.onchange = () => acts.typed(row, column, input.value);
  input.onfocus = () => input.select();
  input.onkeydown = (event) => {
    const step = STEPS[event.key];
    if (!step) return;
    event.preventDefault();
    if (event.key === "Enter") acts.typed(row, column, input.value);
    part.inputs[row + step]?.[column]?.focus();
  };
  input.onpaste = (event) => acts.pasted(event, row, column);
  return input;
}

/**
 * A switch: a click or a key changes it, and a drag with the mouse changes several.
 *
 * @param {GridPart} part
 * @param {GridPayload} grid
 * @param {number} row
 * @param {number} column
 * @param {Acts} acts
 * @returns {HTMLButtonElement}
 */
function toggleOf(part, grid, row, column, acts) {
  const isOn = () => button.getAttribute("aria-checked") === "true";
  const button = buttonOf("toggle", "", () => acts.typed(row, column, isOn() ? OFF : ON));
  button.disabled = grid.locked;
  button.setAttribute("role", "switch");
  button.dataset.at = `${grid.id} ${row} ${column}`;
  button.draggable = false;
  button.onpointerdown = (event) => {
    if (event.pointerType === "touch") return; // it may start a scroll
    part.painting = { row, column, text: isOn() ? OFF : ON };
  };
  button.onpointerenter = (event) => {
    const from = part.painting;
    if (event.buttons !== 1 || !from) return;
    acts.typed(from.row, from.column, from.text);
    acts.typed(row, column, from.text);
  };
  button.onkeydown = (event) => {
    const next = stepTo(event.key, { row, column }, part.inputs.length);
    if (!next) return;
    event.preventDefault();
    part.inputs[next.row][next.column].focus();
  };
  return button;
}

/**
 * @param {HTMLElement} button
 * @param {[on: string, off: string]} names of the states
 * @param {number} row
 * @param {number} column
 * @param {boolean} on
 */
function switchTo(button, names, row, column, on) {
  const label = `${row} → ${column}: ${on ? names[0] : names[1]}`;
  button.setAttribute("aria-checked", String(on));
  button.setAttribute("aria-label", label);
  button.title = label;
}

/** @param {HTMLElement} place */
function isFocused(place) {
  return focusedElement(place) === place;
}
