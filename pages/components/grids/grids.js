// Grids of numbers to type into. The text typed is kept as it stands: the server says what is wrong
// with it. Every change sends all grids together with a version, so that an answer that is older
// than what has been typed since never overwrites it.

import { formula } from "../common/formula.js";
import { mount } from "../common/mount.js";

const MOST = 8;

class Grids {
  constructor(root) {
    this.root = root;
    this.version = 0;
    this.together = true;
    this.spare = {}; // what a grid held before it shrank, by id: growing again brings it back
  }

  receive({ data, setTriggerValue }) {
    this.send = setTriggerValue;
    // A server that was restarted knows of no version, and not what its session alone had kept.
    const outlived = this.data && this.data.session !== data.session;
    const unknown = outlived && data.about && data.about === this.data.about && this.version > 0;
    this.data = data;
    if (!this.cells || (outlived ? !unknown : data.version >= this.version)) {
      this.version = data.version;
      this.cells = Object.fromEntries(
        data.grids.map((grid) => [grid.id, grid.cells.map((row) => [...row])]),
      );
      this.names = Object.fromEntries(
        Object.entries(data.names).map(([axis, names]) => [axis, [...names]]),
      );
    }
    this.draw();
    if (unknown) this.commit();
  }

  commit() {
    this.version = Math.max(this.version, this.data.version) + 1;
    this.send("edited", { version: this.version, cells: this.cells, names: this.names });
  }

  // -- drawing ---------------------------------------------------------------------------------

  draw() {
    const shape = JSON.stringify([
      this.data.grids.map((grid) => [
        grid.id,
        grid.columns,
        grid.sizes,
        this.cells[grid.id].map((row) => row.length),
      ]),
      this.data.strings,
    ]);
    if (shape !== this.shape) {
      this.shape = shape;
      this.parts = {};
      const focused = this.focusedCell();
      this.root.replaceChildren(...this.data.grids.map((grid) => this.grid(grid)));
      if (this.data.grids.some((grid) => grid.sizes)) this.root.append(this.togetherBox());
      if (focused) this.input(...focused)?.focus();
    }
    for (const grid of this.data.grids) this.fill(grid);
  }

  grid(grid) {
    const box = document.createElement("div");
    box.className = "grid";
    box.dataset.grid = grid.id;
    const head = document.createElement("div");
    head.className = "head";
    head.append(formula(grid.symbol));
    if (grid.sizes) head.append(this.sizes(grid, "rows"), "×", this.sizes(grid, "columns"));
    else head.append(grid.title);
    const scroll = document.createElement("div");
    scroll.className = "scroll";
    scroll.append(this.table(grid));
    const problem = document.createElement("div");
    problem.className = "problem";
    problem.setAttribute("role", "alert");
    box.append(head, scroll, problem);
    this.parts[grid.id].problem = problem;
    return box;
  }

  table(grid) {
    const cells = this.cells[grid.id];
    const table = document.createElement("table");
    table.setAttribute("aria-label", grid.label);
    const top = table.insertRow();
    top.append(document.createElement("th"));
    (cells[0] ?? []).forEach((_, column) => {
      const name = document.createElement("th");
      name.textContent = grid.columns[column] ?? String(column);
      top.append(name);
    });
    const part = (this.parts[grid.id] = {
      inputs: [],
      names: [],
      columns: [...top.cells].slice(1),
    });
    cells.forEach((row, i) => {
      const line = table.insertRow();
      const name = document.createElement("th");
      line.append(name);
      part.names.push(this.rowName(grid, i, name));
      part.inputs.push(
        row.map((_, j) => {
          const input = this.cell(grid, i, j);
          line.insertCell().append(input);
          return input;
        }),
      );
    });
    return table;
  }

  rowName(grid, row, place) {
    if (!grid.axis || grid.locked) return place;
    const input = document.createElement("input");
    input.maxLength = 24;
    input.setAttribute("aria-label", `${this.data.strings.name} ${row}`);
    input.onchange = () => {
      const names = this.names[grid.axis];
      while (names.length < row) names.push("");
      names[row] = input.value;
      this.commit();
    };
    place.append(input);
    return input;
  }

  cell(grid, row, column) {
    const input = document.createElement("input");
    input.inputMode = "text"; // a numeric keyboard has no minus on some phones
    input.autocomplete = "off";
    input.spellcheck = false;
    input.maxLength = 40;
    input.setAttribute("aria-label", `${grid.label} ${row}, ${column}`);
    input.onchange = () => this.set(grid.id, row, column, input.value);
    input.onfocus = () => input.select();
    input.onkeydown = (event) => {
      const step = { Enter: 1, ArrowDown: 1, ArrowUp: -1 }[event.key];
      if (!step) return;
      event.preventDefault();
      if (event.key === "Enter") this.set(grid.id, row, column, input.value);
      this.input(grid.id, row + step, column)?.focus();
    };
    input.onpaste = (event) => this.paste(event, grid, row, column);
    return input;
  }

  fill(grid) {
    const part = this.parts[grid.id];
    const names = grid.axis ? this.names[grid.axis] : grid.rows;
    part.names.forEach((place, row) => {
      const name = names[row] ?? "";
      if (place.tagName !== "INPUT") place.textContent = name;
      else if (!isFocused(place)) place.value = name;
      place.placeholder = `${this.data.strings.token} ${row}`;
    });
    part.inputs.forEach((inputs, row) =>
      inputs.forEach((input, column) => {
        if (!isFocused(input)) input.value = this.cells[grid.id][row][column];
        input.readOnly = grid.locked;
        const at = grid.problem;
        const wrong = at && at.row === row && (at.column === null || at.column === column);
        input.setAttribute("aria-invalid", String(Boolean(wrong)));
        input.parentElement.className = grid.marks?.[row]?.[column] ?? "";
      }),
    );
    part.problem.textContent = grid.problem?.text ?? "";
  }

  // -- sizes -----------------------------------------------------------------------------------

  sizes(grid, axis) {
    const count =
      axis === "rows" ? this.cells[grid.id].length : (this.cells[grid.id][0] ?? []).length;
    const box = document.createElement("span");
    box.className = "sizes";
    const button = (sign, delta) => {
      const part = document.createElement("button");
      part.type = "button";
      part.textContent = sign;
      part.setAttribute("aria-label", `${grid.label}: ${this.data.strings[axis]} ${sign}`);
      // No row would leave no width either; no column is a lesson of its own: d = 0.
      part.disabled = count + delta < (axis === "rows" ? 1 : 0) || count + delta > MOST;
      part.onclick = () => this.resize(grid, axis, count + delta);
      return part;
    };
    box.append(button("−", -1), String(count), button("+", 1));
    return box;
  }

  resize(grid, axis, count) {
    const group = grid.sizes[axis];
    for (const other of this.data.grids)
      for (const side of ["rows", "columns"]) {
        const same = other.id === grid.id && side === axis;
        if (same || (this.together && other.sizes?.[side] === group))
          this.stretch(other, side, count);
      }
    this.draw();
    this.commit();
  }

  stretch(grid, axis, count) {
    const cells = this.cells[grid.id];
    const spare = (this.spare[grid.id] ??= []);
    cells.forEach((row, i) => (spare[i] = Object.assign(spare[i] ?? [], row)));
    const height = axis === "rows" ? count : cells.length;
    const width = axis === "columns" ? count : (cells[0] ?? spare[0] ?? []).length;
    this.cells[grid.id] = Array.from({ length: height }, (_, i) =>
      Array.from({ length: width }, (_, j) => spare[i]?.[j] ?? "0"),
    );
  }

  togetherBox() {
    const label = document.createElement("label");
    label.className = "together";
    const box = document.createElement("input");
    box.type = "checkbox";
    box.checked = this.together;
    box.onchange = () => (this.together = box.checked);
    label.append(box, this.data.strings.together);
    return label;
  }

  // -- typing ----------------------------------------------------------------------------------

  set(id, row, column, text) {
    if (this.cells[id][row]?.[column] === text) return;
    this.cells[id][row][column] = text;
    this.commit();
  }

  // A block copied from a spreadsheet fills the cells from here on, and the grid grows with it.
  paste(event, grid, row, column) {
    const text = event.clipboardData.getData("text").replace(/(\r?\n)+$/, "");
    const block = text.split(/\r?\n/).map((line) => line.split("\t"));
    const broadest = Math.max(...block.map((line) => line.length));
    if (block.length === 1 && block[0].length === 1) return;
    event.preventDefault();
    if (grid.locked) return;
    const cells = this.cells[grid.id];
    if (grid.sizes) {
      const height = Math.min(MOST, Math.max(cells.length, row + block.length));
      const width = Math.min(MOST, Math.max(cells[0].length, column + broadest));
      if (height > cells.length) this.stretch(grid, "rows", height);
      if (width > cells[0].length) this.stretch(grid, "columns", width);
    }
    block.forEach((line, i) =>
      line.forEach((value, j) => {
        const into = this.cells[grid.id][row + i];
        if (into && column + j < into.length) into[column + j] = value.trim();
      }),
    );
    event.target.blur(); // so that the cell itself is filled too
    this.draw();
    this.commit();
  }

  input(id, row, column) {
    return this.parts[id]?.inputs[row]?.[column];
  }

  focusedCell() {
    for (const [id, part] of Object.entries(this.parts ?? {}))
      for (const [row, inputs] of (part.inputs ?? []).entries())
        for (const [column, input] of inputs.entries())
          if (isFocused(input)) return [id, row, column];
    return null;
  }
}

function isFocused(element) {
  return element.getRootNode().activeElement === element;
}

/**
 * @param {Component<any>} component
 * @returns {() => void}
 */
export default function (component) {
  return mount(component, ".grids", Grids);
}
