// Grids of numbers to type into. The text typed is kept as it stands: the server says what is wrong
// with it. Every change sends all grids together with a version, so that an answer that is older
// than what has been typed since never overwrites it.

import { mount } from "../common/mount.js";
import { blockOf, lay, sizeOf } from "./block.js";
import { forgetAnswers, keepAnswers, keptAnswers } from "./keeping.js";
import { counter, keepingRow, tickBox } from "./parts.js";
import { fill, gridOf } from "./table.js";

const MOST = 8;

class Grids {
  constructor(root) {
    this.root = root;
    this.version = 0;
    this.together = true;
    this.spare = {}; // what a grid held before it shrank, by id: growing again brings it back
    this.cut = {}; // what is to be said of a block that did not fit, by id
    this.cleared = ""; // the set that was cleared, until the server has heard of it
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
      this.cleared = "";
    }
    // What is only read may be new beside what was typed since.
    for (const grid of data.grids)
      if (grid.locked || !this.cells[grid.id])
        this.cells[grid.id] = grid.cells.map((row) => [...row]);
    this.recall();
    this.draw();
    if (unknown) this.commit();
  }

  commit() {
    this.version = Math.max(this.version, this.data.version) + 1;
    const { keep } = this.data;
    if (keep) this.keep(keep);
    // All in one: of two messages sent before the first was read, the server gets the second.
    this.send("edited", {
      version: this.version,
      cells: this.cells,
      names: this.names,
      kept: keep?.unknown ? { set: keep.set, items: keptAnswers(keep.set) } : null,
      cleared: this.cleared,
    });
  }

  // -- what this browser keeps -----------------------------------------------------------------

  // The cells that are typed into, by grid.
  open() {
    const open = this.data.grids.filter((grid) => !grid.locked);
    return Object.fromEntries(open.map((grid) => [grid.id, this.cells[grid.id]]));
  }

  keep({ set, item }) {
    const before = keptAnswers(set)[item]?.filled;
    keepAnswers(set, item, "filled", { ...before, ...this.open() });
  }

  // A session that knows nothing of a set is told what was filled in before; the page shows it at
  // once, lest something be typed on top of nothing meanwhile.
  recall() {
    const { keep, version } = this.data;
    if (!keep || version < this.version) return; // or what was typed since says it, too
    const items = keptAnswers(keep.set);
    if (keep.unknown && Object.keys(items).length) {
      const filled = items[keep.item]?.filled ?? {};
      for (const [id, cells] of Object.entries(this.open()))
        cells.forEach((row, i) => {
          row.forEach((text, j) => (row[j] = text || String(filled[id]?.[i]?.[j] ?? "")));
        });
      this.commit();
    } else if (keep.handed) keepAnswers(keep.set, keep.item, "handed", keep.handed);
  }

  forget() {
    this.cleared = this.data.keep.set;
    for (const cells of Object.values(this.open())) cells.forEach((row) => row.fill(""));
    forgetAnswers(this.cleared);
    this.commit();
    this.draw();
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
      const at = this.root.getRootNode().activeElement?.dataset.at;
      this.root.replaceChildren(...this.data.grids.map((grid) => this.grid(grid)));
      if (this.data.grids.some((grid) => grid.sizes))
        this.root.append(
          tickBox(this.data.strings.together, this.together, (on) => (this.together = on)),
        );
      if (this.data.keep) this.root.append(keepingRow(this.data.strings, () => this.forget()));
      if (at) this.root.querySelector(`[data-at="${at}"]`)?.focus(); // the keyboard stays there
    }
    for (const grid of this.data.grids) {
      const names = grid.axis ? this.names[grid.axis] : grid.rows;
      fill(this.parts[grid.id], grid, this.cells[grid.id], names, this.data.strings);
      this.parts[grid.id].cut.textContent = this.cut[grid.id] ?? "";
    }
  }

  grid(grid) {
    const part = gridOf(grid, this.cells[grid.id], this.data.strings, {
      sizes: (axis) => this.sizes(grid, axis),
      named: (row, text) => this.rename(grid.axis, row, text),
      typed: (row, column, text) => this.set(grid.id, row, column, text),
      pasted: (event, row, column) => this.paste(event, grid, row, column),
    });
    this.parts[grid.id] = part;
    return part.root;
  }

  // -- sizes -----------------------------------------------------------------------------------

  sizes(grid, axis) {
    const count =
      axis === "rows" ? this.cells[grid.id].length : (this.cells[grid.id][0] ?? []).length;
    // No row would leave no width either; no column is a lesson of its own: d = 0.
    const least = axis === "rows" ? 1 : 0;
    return counter(
      count,
      `${grid.label}: ${this.data.strings[axis]}`,
      (delta) => count + delta >= least && count + delta <= MOST,
      (delta) => this.resize(grid, axis, count + delta),
    );
  }

  resize(grid, axis, count) {
    this.cut = {};
    this.grow(grid, axis, count);
    this.draw();
    this.commit();
  }

  // A grid, and those that share the size with it.
  grow(grid, axis, count) {
    const group = grid.sizes[axis];
    for (const other of this.data.grids)
      for (const side of ["rows", "columns"]) {
        const same = other.id === grid.id && side === axis;
        if (same || (this.together && other.sizes?.[side] === group))
          this.stretch(other, side, count);
      }
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

  // -- typing ----------------------------------------------------------------------------------

  rename(axis, row, text) {
    const names = this.names[axis];
    while (names.length < row) names.push("");
    names[row] = text;
    this.commit();
  }

  set(id, row, column, text) {
    if (this.cells[id][row]?.[column] === text) return;
    this.cells[id][row][column] = text;
    this.cut = {};
    this.draw(); // a cell that is switched shows it at once
    this.commit();
  }

  // A block copied from a spreadsheet fills the cells from here on, and the grid grows with it, as
  // do those that share its size: they would not multiply otherwise.
  paste(event, grid, row, column) {
    const block = blockOf(event.clipboardData.getData("text"));
    const [rows, columns] = sizeOf(block);
    if (rows === 1 && columns === 1) return;
    event.preventDefault();
    if (grid.locked) return;
    const cells = this.cells[grid.id];
    if (grid.sizes) {
      const height = Math.min(MOST, row + rows);
      const width = Math.min(MOST, column + columns);
      if (height > cells.length) this.grow(grid, "rows", height);
      if (width > cells[0].length) this.grow(grid, "columns", width);
    }
    const kept = lay(this.cells[grid.id], block, row, column);
    const whole = kept[0] === rows && kept[1] === columns;
    this.cut = whole ? {} : { [grid.id]: this.sayCut(rows, columns, kept) };
    event.target.blur(); // so that the cell itself is filled too
    this.draw();
    this.commit();
  }

  sayCut(rows, columns, kept) {
    const said = { rows, columns, kept: kept.join(" x "), most: `${MOST} x ${MOST}` };
    return this.data.strings.cut.replace(/\{(\w+)\}/g, (_, name) => String(said[name]));
  }
}

/**
 * @param {Component<any>} component
 * @returns {() => void}
 */
export default function (component) {
  return mount(component, ".grids", Grids);
}
