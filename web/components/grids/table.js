// One grid: its heading, its cells, and places for its messages.

import { buttonOf, element, formula } from "../common/element.js";
import { focusedElement } from "../common/find.js";
import { roving } from "../common/roving.js";

const [ON, OFF] = ["1", "0"];

/** @type {Record<string, number>} rows that a key moves down */
const STEPS = { Enter: 1, ArrowDown: 1, ArrowUp: -1 };

export class Grid {
  /** @param {GridPayload} grid @param {import("./grids.js").Grids} grids which holds the cells */
  constructor(grid, grids) {
    this.grid = grid;
    this.grids = grids;
    this.problem = element("div", "problem");
    this.problem.role = "alert";
    this.cut = element("div", "cut"); // about a pasted block that did not fit
    this.cut.role = "status";
    /** @type {HTMLElement[]} inputs or headings with the names of the rows */
    this.names = [];
    /** @type {(HTMLInputElement | HTMLButtonElement)[][]} */
    this.inputs = [];
    const title = grid.sizes
      ? [grids.sizes(grid, "rows"), "×", grids.sizes(grid, "columns")]
      : [grid.title];
    const head = element("div", "head", formula(grid.symbol), ...title);
    this.root = element("div", "grid", head, this.table(), this.problem, this.cut);
    this.root.dataset.grid = grid.id;
  }

  table() {
    const { grid } = this;
    const cells = this.grids.cells[grid.id];
    const table = element("table");
    table.setAttribute("aria-label", grid.label);
    const columns = cells[0].map((_, column) => element("th", "", String(column)));
    table.insertRow().append(element("th"), ...columns);
    cells.forEach((row, i) => {
      const line = table.insertRow();
      const name = element("th");
      line.append(name);
      this.names.push(this.rowName(i, name));
      this.inputs.push(row.map((_, j) => (grid.toggles ? this.toggle(i, j) : this.cell(i, j))));
      for (const input of this.inputs[i]) line.insertCell().append(input);
    });
    if (grid.toggles) roving(table, () => this.inputs.flat(), columns.length);
    return element("div", "scroll", table);
  }

  /** @param {number} row @param {HTMLElement} heading which holds an input unless the name is fixed */
  rowName(row, heading) {
    const { grid, grids } = this;
    const { axis } = grid;
    if (!axis || grid.locked) return heading;
    const input = element("input");
    input.maxLength = 24;
    input.dataset.at = `${grid.id} name ${row}`;
    input.setAttribute("aria-label", `${grids.data.strings.name} ${row}`);
    input.onchange = () => grids.rename(axis, row, input.value);
    heading.append(input);
    return input;
  }

  /** @param {number} row @param {number} column */
  cell(row, column) {
    const { grid, grids } = this;
    const input = element("input");
    input.inputMode = "text"; // a numeric keyboard has no minus on some phones
    input.autocomplete = "off";
    input.spellcheck = false;
    input.maxLength = 40;
    input.dataset.at = `${grid.id} ${row} ${column}`;
    input.setAttribute("aria-label", `${grid.label} ${row}, ${column}`);
    input.onchange = () => grids.set(grid.id, row, column, input.value);
    input.onfocus = () => input.select();
    input.onkeydown = (event) => {
      const step = STEPS[event.key];
      if (!step) return;
      event.preventDefault();
      if (event.key === "Enter") grids.set(grid.id, row, column, input.value);
      this.inputs[row + step]?.[column]?.focus();
    };
    input.onpaste = (event) => grids.paste(event, grid, row, column);
    return input;
  }

  /** @param {number} row @param {number} column */
  toggle(row, column) {
    const { grid, grids } = this;
    const button = buttonOf("toggle", "", () =>
      grids.set(grid.id, row, column, button.ariaChecked === "true" ? OFF : ON),
    );
    button.disabled = grid.locked;
    button.role = "switch";
    button.dataset.at = `${grid.id} ${row} ${column}`;
    return button;
  }

  /** Write texts and names of rows, except into the focused cell. @param {GridPayload} grid */
  fill(grid) {
    this.grid = grid;
    const { cells, names, cut, data } = this.grids;
    const focused = focusedElement(this.root);
    this.names.forEach((place, row) => {
      const name = grid.axis ? (names[grid.axis][row] ?? "") : String(row);
      if (place instanceof HTMLInputElement) {
        if (place !== focused) place.value = name;
        place.placeholder = `${data.strings[grid.axis ?? ""]} ${row}`;
      } else place.textContent = name;
    });
    this.inputs.forEach((inputs, row) =>
      inputs.forEach((input, column) => {
        const text = cells[grid.id][row][column];
        if (grid.toggles) {
          const label = `${row} → ${column}: ${grid.toggles[text === ON ? 0 : 1]}`;
          input.setAttribute("aria-checked", String(text === ON));
          input.setAttribute("aria-label", label);
          input.title = label;
        } else if (input !== focused) input.value = text;
        if (input instanceof HTMLInputElement) input.readOnly = grid.locked;
        const at = grid.problem;
        const wrong = at && at.row === row && (at.column === null || at.column === column);
        input.setAttribute("aria-invalid", String(Boolean(wrong)));
        const place = input.closest("td");
        if (place) place.className = grid.marks?.[row]?.[column] ?? "";
      }),
    );
    this.problem.textContent = grid.problem?.text ?? "";
    this.cut.textContent = cut[grid.id] ?? "";
  }
}
