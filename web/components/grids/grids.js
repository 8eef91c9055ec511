// Editable grids of numbers. The text stays as typed; the server reports errors. Every edit sends all
// grids.

import { buttonOf, element } from "../common/element.js";
import { findAll, focusedElement, unset } from "../common/find.js";
import { mount } from "../common/mount.js";
import { Part } from "../common/part.js";
import { readStorage, writeStorage } from "../common/storage.js";
import { filled } from "../common/words.js";
import { blockOf, pasteBlock, sizeOf } from "./block.js";
import { Grid } from "./table.js";

const MAX_SIZE = 8;
const STORED = "headlight.practice."; // key of the answers by exercise, before that of the set

/** @extends {Part<GridsData>} */
export class Grids extends Part {
  /** @type {GridCells} */
  cells = unset();
  /** @type {GridsData["names"]} */
  names = unset();
  /** @type {Record<string, Grid>} by grid */
  parts = {};
  shape = ""; // of the grids that are drawn
  /** @type {Record<string, string>} the message about a pasted block that did not fit, by grid */
  cut = {};

  /** @param {Component<GridsData>} component */
  receive({ data }) {
    const lost = this.outbox.acknowledge(data.acknowledged);
    const { data: shown } = this;
    const before = shown?.keep;
    // No link contains answers, so a new session does not have them.
    const same = before && before.set === data.keep?.set && before.item === data.keep.item;
    const resend = Boolean(lost && same);
    this.data = data;
    if (!this.outbox.stale && !resend) {
      this.cells = {};
      this.names = structuredClone(data.names);
    }
    // Read-only grids are up to date even if the response is stale.
    for (const { id, locked, cells } of data.grids)
      if (locked || !this.cells[id]) this.cells[id] = structuredClone(cells);
    this.recall(resend);
    this.draw();
  }

  /**
   * @param {{ cleared?: string, recalled?: true }} [more] the set that was cleared, or whether the
   *   cells come from the browser's storage
   */
  commit(more) {
    const { keep } = this.data;
    const items = keep && { ...readStorage(STORED + keep.set), [keep.item]: this.editable() };
    if (keep) writeStorage(STORED + keep.set, items);
    const stored = keep?.unknown && { stored: { set: keep.set, items } };
    this.outbox.edit({ cells: this.cells, names: this.names, ...stored, ...more });
  }

  /** @returns {GridCells} of the editable grids */
  editable() {
    const editable = this.data.grids.filter((grid) => !grid.locked);
    return Object.fromEntries(editable.map((grid) => [grid.id, this.cells[grid.id]]));
  }

  /**
   * Send the stored answers to a session without them, and show them: these cells are not empty.
   *
   * @param {boolean} resend whether the session has lost the answers on screen
   */
  recall(resend) {
    const { keep } = this.data;
    if (!keep || this.outbox.stale) return; // a newer edit contains them
    const items = readStorage(STORED + keep.set);
    if (resend || (keep.unknown && items)) {
      const filled = items?.[keep.item] ?? {};
      for (const [id, cells] of Object.entries(this.editable()))
        cells.forEach((row, i) => {
          row.forEach((text, j) => (row[j] = text || String(filled[id]?.[i]?.[j] ?? "")));
        });
      this.commit({ recalled: true });
    }
  }

  clear() {
    const { keep } = this.data;
    if (!keep) return;
    for (const cells of Object.values(this.editable())) cells.forEach((row) => row.fill(""));
    writeStorage(STORED + keep.set, null);
    this.commit({ cleared: keep.set });
    this.draw();
  }

  draw() {
    const sizes = this.data.grids.map(({ id, sizes: axes }) => {
      return [id, axes, this.cells[id].map((row) => row.length)];
    });
    const shape = JSON.stringify([sizes, this.data.strings]);
    if (shape !== this.shape) {
      this.shape = shape;
      this.parts = {};
      const at = focusedElement(this.root)?.dataset.at;
      for (const grid of this.data.grids) this.parts[grid.id] = new Grid(grid, this);
      this.root.replaceChildren(...Object.values(this.parts).map(({ root }) => root));
      if (this.data.keep) {
        const clear = buttonOf("", this.data.strings.clear, () => this.clear());
        clear.dataset.at = "clear";
        this.root.append(element("div", "storage", this.data.strings.kept, clear));
      }
      const named = findAll(this.root, "[data-at]");
      if (at) named.find(({ dataset }) => dataset.at === at)?.focus(); // the focus stays there
    }
    for (const grid of this.data.grids) this.parts[grid.id].fill(grid);
  }

  /** Buttons that change the size. @param {GridPayload} grid @param {GridAxis} axis */
  sizes(grid, axis) {
    const cells = this.cells[grid.id];
    const count = axis === "rows" ? cells.length : cells[0].length;
    // Without rows there is no width either. Zero columns are allowed: d = 0 is worth a lesson.
    const least = axis === "rows" ? 1 : 0;
    const button = (/** @type {string} */ sign, /** @type {number} */ next) => {
      const allowed = next >= least && next <= MAX_SIZE;
      const part = buttonOf("", sign, () => {
        if (!allowed) return;
        this.cut = {};
        this.grow(grid, axis, next);
        this.draw();
        this.commit();
      });
      part.dataset.at = `${grid.label}: ${this.data.strings[axis]} ${sign}`;
      part.setAttribute("aria-label", part.dataset.at);
      part.setAttribute("aria-disabled", String(!allowed)); // a disabled button would lose the focus
      return part;
    };
    return element("span", "sizes", button("−", count - 1), String(count), button("+", count + 1));
  }

  /** All of the same size. @type {(grid: GridPayload, axis: GridAxis, count: number) => void} */
  grow(grid, axis, count) {
    const group = grid.sizes?.[axis];
    for (const other of this.data.grids)
      for (const side of /** @type {const} */ (["rows", "columns"]))
        if (other.sizes?.[side] === group) this.stretch(other, side, count);
  }

  /** @param {GridPayload} grid @param {GridAxis} axis @param {number} count */
  stretch(grid, axis, count) {
    const cells = this.cells[grid.id];
    const height = axis === "rows" ? count : cells.length;
    const width = axis === "columns" ? count : cells[0].length;
    this.cells[grid.id] = Array.from({ length: height }, (_, i) =>
      Array.from({ length: width }, (_, j) => cells[i]?.[j] ?? "0"),
    );
  }

  /** @param {string} axis @param {number} row @param {string} text */
  rename(axis, row, text) {
    const names = this.names[axis];
    while (names.length < row) names.push("");
    names[row] = text;
    this.commit();
  }

  /** @type {(id: string, row: number, column: number, text: string) => void} */
  set(id, row, column, text) {
    if (this.cells[id][row]?.[column] === text) return;
    this.cells[id][row][column] = text;
    this.cut = {};
    this.draw(); // a switch shows its new state immediately
    this.commit();
  }

  /**
   * Paste a spreadsheet's block from this cell on. The grid grows with it, and so do all grids with
   * the same size, because the matrices have to match.
   *
   * @type {(event: ClipboardEvent, grid: GridPayload, row: number, column: number) => void}
   */
  paste(event, grid, row, column) {
    const block = blockOf(event.clipboardData?.getData("text") ?? "");
    const [rows, columns] = sizeOf(block);
    if (rows === 1 && columns === 1) return;
    event.preventDefault();
    if (grid.locked) return;
    const cells = this.cells[grid.id];
    if (grid.sizes) {
      const height = Math.min(MAX_SIZE, row + rows);
      const width = Math.min(MAX_SIZE, column + columns);
      if (height > cells.length) this.grow(grid, "rows", height);
      if (width > cells[0].length) this.grow(grid, "columns", width);
    }
    const fits = pasteBlock(this.cells[grid.id], block, row, column);
    const whole = fits[0] === rows && fits[1] === columns;
    const sizes = { rows: String(rows), columns: String(columns), kept: fits.join(" x ") };
    this.cut = whole ? {} : { [grid.id]: filled(this.data.strings.cut, sizes) };
    // A focused cell would keep its text.
    if (event.target instanceof HTMLElement) event.target.blur();
    this.draw();
    this.commit();
  }
}

export default mount(".grids", Grids);
