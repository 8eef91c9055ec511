// Editor of a mask: queries down, keys across. A click or a drag allows or hides cells. On a phone a
// tap changes one cell, because a drag scrolls the page.

import { inkOf, nameStep, onResize, sharp } from "../common/canvas.js";
import { find, unset } from "../common/find.js";
import { mount } from "../common/mount.js";
import { between, stepTo } from "./cells.js";

const LETTER_WIDTH = 6.4; // pixels
const MAX_LETTERS = 12;

/**
 * @typedef {import("./cells.js").Cell} Cell
 *
 * @typedef {object} MaskData
 * @property {string[]} labels names of the tokens
 * @property {string[]} rows 1 for each allowed cell, otherwise 0
 * @property {number} acknowledged number of the last edit that the server has received
 * @property {number} height of the cells in CSS pixels
 * @property {number} above height of the column names
 * @property {Rgb} rgb colour of allowed cells
 * @property {{ title: string, label: string, allowed: string, hidden: string, hint: string }} strings
 */

/** @implements {Drawing<MaskData>} */
class Mask {
  /**
   * @param {HTMLElement} root
   * @param {AbortSignal} signal
   * @param {import("../common/outbox.js").Outbox} outbox
   */
  constructor(root, signal, outbox) {
    this.root = root;
    this.outbox = outbox;
    this.title = find(root, ".title");
    this.canvas = find(root, "canvas", HTMLCanvasElement);
    this.status = find(root, ".said");
    /** @type {MaskData} */
    this.data = unset();
    /** @type {boolean[][]} whether each cell is allowed */
    this.rows = unset();
    this.at = { row: 0, column: 0 };
    /** @type {{ allow: boolean, last: Cell } | null} the current drag */
    this.paint = null;
    // Layout in pixels: the left edge of the cells, and the size of a cell; data.above is the top.
    this.left = this.wide = this.high = 0;
    const { canvas } = this;
    canvas.onpointerdown = (event) => this.press(event);
    canvas.onpointermove = (event) => this.move(event);
    canvas.onpointerup = (event) => this.release(event);
    canvas.onpointercancel = () => (this.paint = null);
    canvas.onpointerleave = () => this.describe(null);
    canvas.onkeydown = (event) => this.key(event);
    canvas.onfocus = canvas.onblur = () => this.draw();
    onResize(root, () => this.draw(), signal);
  }

  /** @param {Component<MaskData>} component */
  receive({ data }) {
    this.outbox.acknowledge(data.acknowledged);
    const resized = data.labels.length !== this.rows?.length;
    this.data = data;
    if (resized || !this.outbox.stale)
      this.rows = data.rows.map((row) => [...row].map((cell) => cell === "1"));
    const last = data.labels.length - 1;
    this.at = { row: Math.min(this.at.row, last), column: Math.min(this.at.column, last) };
    this.title.textContent = data.strings.title;
    this.canvas.setAttribute("aria-label", data.strings.label);
    this.describe(null);
    this.draw();
  }

  commit() {
    this.outbox.edit({ rows: this.rows.map((row) => row.map(Number).join("")) });
  }

  // -- input -------------------------------------------------------------------------------------

  /** @param {PointerEvent} event */
  press(event) {
    const cell = this.under(event);
    if (!cell || event.button) return;
    this.at = cell;
    this.paint = { allow: !this.rows[cell.row][cell.column], last: cell };
    if (event.pointerType === "touch") return; // it may start a scroll
    this.canvas.setPointerCapture(event.pointerId);
    this.set(cell, this.paint.allow);
  }

  /** @param {PointerEvent} event */
  move(event) {
    const cell = this.under(event);
    this.describe(cell);
    if (!cell || !this.paint || event.pointerType === "touch") return;
    for (const passed of between(this.paint.last, cell)) this.set(passed, this.paint.allow);
    this.paint.last = this.at = cell;
  }

  /** @param {PointerEvent} event */
  release(event) {
    if (!this.paint) return;
    if (event.pointerType === "touch") this.set(this.at, this.paint.allow);
    this.paint = null;
    this.commit();
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    if (event.key === " " || event.key === "Enter") {
      this.set(this.at, !this.rows[this.at.row][this.at.column]);
      this.commit();
    } else {
      const next = stepTo(event.key, this.at, this.rows.length);
      if (!next) return;
      this.at = next;
      this.draw();
    }
    this.describe(this.at);
    event.preventDefault();
  }

  /** @param {Cell} cell @param {boolean} allow */
  set({ row, column }, allow) {
    this.rows[row][column] = allow;
    this.draw();
  }

  /** @param {Cell | null} cell */
  describe(cell) {
    const { labels, strings } = this.data;
    this.status.textContent = cell
      ? `${labels[cell.row]} → ${labels[cell.column]}: ` +
        (this.rows[cell.row][cell.column] ? strings.allowed : strings.hidden)
      : strings.hint;
  }

  // -- drawing -----------------------------------------------------------------------------------

  /** @param {PointerEvent} event @returns {Cell | null} the cell under the pointer */
  under(event) {
    const box = this.canvas.getBoundingClientRect();
    const column = Math.floor((event.clientX - box.left - this.left) / this.wide);
    const row = Math.floor((event.clientY - box.top - this.data.above) / this.high);
    const count = this.rows.length;
    return row >= 0 && column >= 0 && row < count && column < count ? { row, column } : null;
  }

  draw() {
    if (!this.rows) return;
    const count = this.rows.length;
    const names = this.data.labels.map(shortName);
    const room = Math.max(...names.map((name) => name.length)) * LETTER_WIDTH + 8;
    const width = this.root.clientWidth;
    this.left = room;
    this.wide = Math.max(width - room, count) / count;
    this.high = this.data.height / count;
    const context = sharp(this.canvas, width, this.data.above + this.data.height);
    context.fillStyle = inkOf(this.root);
    this.drawNames(context, names);
    this.drawCells(context);
    if (this.canvas.matches(":focus-visible")) {
      context.strokeStyle = inkOf(this.root);
      context.lineWidth = 2;
      context.strokeRect(...this.box(this.at.row, this.at.column));
    }
  }

  /** @param {number} row @param {number} column @returns {[number, number, number, number]} */
  box(row, column) {
    const gap = Math.min(this.wide, this.high) > 5 ? 1 : 0;
    return [
      this.left + column * this.wide,
      this.data.above + row * this.high,
      Math.max(this.wide - gap, 1),
      Math.max(this.high - gap, 1),
    ];
  }

  /** @param {CanvasRenderingContext2D} context */
  drawCells(context) {
    const ink = inkOf(this.root);
    this.rows.forEach((row, i) =>
      row.forEach((allowed, j) => {
        const box = this.box(i, j);
        context.fillStyle = allowed ? `rgba(${this.data.rgb.join()}, 0.85)` : ink;
        context.globalAlpha = allowed ? 1 : 0.09;
        context.fillRect(...box);
        if (!allowed) strikeOut(context, box, ink);
      }),
    );
    context.globalAlpha = 1;
  }

  /** @param {CanvasRenderingContext2D} context @param {string[]} names */
  drawNames(context, names) {
    const size = Math.min(12, Math.max(8, this.high * 0.85));
    const every = nameStep(9, Math.min(this.wide, this.high));
    context.font = `${size}px sans-serif`;
    context.textBaseline = "middle";
    names.forEach((name, i) => {
      const middle = this.data.above + (i + 0.5) * this.high;
      if (i % every) return;
      context.textAlign = "right";
      context.fillText(name, this.left - 5, middle);
      context.save();
      context.textAlign = "left";
      context.translate(this.left + (i + 0.5) * this.wide, this.data.above - 5);
      context.rotate(-Math.PI / 2);
      context.fillText(name, 0, 0);
      context.restore();
    });
  }
}

/**
 * A slash, as in the heatmaps: a hidden cell is not a weight of 0.
 *
 * @param {CanvasRenderingContext2D} context
 * @param {[number, number, number, number]} box
 * @param {string} ink
 */
function strikeOut(context, [x, y, width, height], ink) {
  context.globalAlpha = 0.3;
  context.strokeStyle = ink;
  context.lineWidth = 1;
  context.beginPath();
  context.moveTo(x, y + height);
  context.lineTo(x + width, y);
  context.stroke();
}

/** @param {string} name */
function shortName(name) {
  return name.length > MAX_LETTERS ? `${name.slice(0, MAX_LETTERS - 1)}…` : name;
}

export default mount(".mask", Mask);
