// One grid: its heading, its cells, and places for its messages.

import { buttonOf, element, formula } from "../common/element.js";
import { focusedElement } from "../common/find.js";
import { roving } from "../common/roving.js";

const [ON, OFF] = ["1", "0"];

/** @type {Record<string, number>} rows that a key moves down */
const STEPS = { Enter: 1, ArrowDown: 1, ArrowUp: -1 };

/**
 * Callbacks of a grid; `sizes` builds the buttons for its size.
 *
 * @typedef {{ sizes: (axis: GridAxis) => HTMLElement, named: (row: number, text: string) => void,
 *   typed: (row: number, column: number, text: string) => void,
 *   pasted: (event: ClipboardEvent, row: number, column: number) => void }} Acts
 */

export class Grid {
  /** @param {GridPayload} grid @param {Record<string, string>} strings @param {Acts} acts */
  constructor(grid, strings, acts) {
    this.grid = grid;
    this.strings = strings;
    this.acts = acts;
    this.problem = element("div", "problem");
    this.problem.role = "alert";
    this.cut = element("div", "cut"); // about a pasted block that did not fit
    this.cut.role = "status";
    /** @type {HTMLElement[]} inputs or headings with the names of the rows */
    this.names = [];
    /** @type {(HTMLInputElement | HTMLButtonElement)[][]} */
    this.inputs = [];
    const title = grid.sizes ? [acts.sizes("rows"), "×", acts.sizes("columns")] : [grid.title];
    const head = element("div", "head", formula(grid.symbol), ...title);
    this.root = element("div", "grid", head, this.table(), this.problem, this.cut);
    this.root.dataset.grid = grid.id;
  }

  table() {
    const { cells, label } = this.grid;
    const table = element("table");
    table.setAttribute("aria-label", label);
    const columns = (cells[0] ?? []).map((_, column) => element("th", "", String(column)));
    table.insertRow().append(element("th"), ...columns);
    cells.forEach((row, i) => {
      const line = table.insertRow();
      const name = element("th");
      line.append(name);
      this.names.push(this.rowName(i, name));
      const make = (/** @type {number} */ j) =>
        this.grid.toggles ? this.toggle(i, j) : this.cell(i, j);
      this.inputs.push(row.map((_, j) => make(j)));
      for (const input of this.inputs[i]) line.insertCell().append(input);
    });
    if (this.grid.toggles) roving(table, () => this.inputs.flat(), columns.length);
    return element("div", "scroll", table);
  }

  /** @param {number} row @param {HTMLElement} heading which holds an input unless the name is fixed */
  rowName(row, heading) {
    const { grid, strings, acts } = this;
    if (!grid.axis || grid.locked) return heading;
    const input = element("input");
    input.maxLength = 24;
    input.dataset.at = `${grid.id} name ${row}`;
    input.setAttribute("aria-label", `${strings.name} ${row}`);
    input.onchange = () => acts.named(row, input.value);
    heading.append(input);
    return input;
  }

  /** @param {number} row @param {number} column */
  cell(row, column) {
    const { grid, acts } = this;
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
      this.inputs[row + step]?.[column]?.focus();
    };
    input.onpaste = (event) => acts.pasted(event, row, column);
    return input;
  }

  /** @param {number} row @param {number} column */
  toggle(row, column) {
    const { grid, acts } = this;
    const button = buttonOf("toggle", "", () =>
      acts.typed(row, column, button.getAttribute("aria-checked") === "true" ? OFF : ON),
    );
    button.disabled = grid.locked;
    button.role = "switch";
    button.dataset.at = `${grid.id} ${row} ${column}`;
    return button;
  }

  /**
   * Write text into the cells, except the focused one, and the names of its rows.
   *
   * @type {(grid: GridPayload, cells: string[][], names: string[]) => void}
   */
  fill(grid, cells, names) {
    this.grid = grid;
    this.names.forEach((place, row) => {
      const name = names[row] ?? "";
      if (place instanceof HTMLInputElement) {
        if (!isFocused(place)) place.value = name;
        place.placeholder = `${this.strings[grid.axis ?? ""]} ${row}`;
      } else place.textContent = grid.axis ? name : String(row);
    });
    this.inputs.forEach((inputs, row) =>
      inputs.forEach((input, column) => {
        const text = cells[row][column];
        if (grid.toggles) {
          const label = `${row} → ${column}: ${grid.toggles[text === ON ? 0 : 1]}`;
          input.setAttribute("aria-checked", String(text === ON));
          input.setAttribute("aria-label", label);
          input.title = label;
        } else if (!isFocused(input)) input.value = text;
        if (input instanceof HTMLInputElement) input.readOnly = grid.locked;
        const at = grid.problem;
        const wrong = at && at.row === row && (at.column === null || at.column === column);
        input.setAttribute("aria-invalid", String(Boolean(wrong)));
        const place = input.closest("td");
        if (place) place.className = grid.marks?.[row]?.[column] ?? "";
      }),
    );
    this.problem.textContent = grid.problem?.text ?? "";
  }
}

/** @param {HTMLElement} place */
function isFocused(place) {
  return focusedElement(place) === place;
}
