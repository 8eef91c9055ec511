// State of a capture view: its subjects and the selection. Every part reads it, and draws after
// each change. A change is drawn immediately; `report` sends it to the server.

import { WHOLE, clamp } from "../common/scale.js";
import { headName } from "../common/selection.js";
import { walked } from "../common/next_head.js";
import { Exact } from "./exact.js";
import { mostSimilar } from "./similar.js";

/** @typedef {Store["selection"]} Selection */

/** Milliseconds before a report: an arrow key that is held down sends one request. */
export const HELD = 120;

/** Dispatches "changed" after each change. */
export class Store extends EventTarget {
  subjects = /** @type {Subject[]} */ ([]); // one for each column
  groups = /** @type {CaptureViewData["groups"]} */ (null);
  compared = /** @type {CaptureViewData["compared"]} */ (undefined);
  framed = /** @type {CaptureViewData["framed"]} */ (undefined);
  strings = /** @type {CaptureViewData["strings"]} */ ({});
  /** As in the session of the server. */
  selection = {
    left: /** @type {Head} */ ([0, 0]),
    right: /** @type {Head} */ ([0, 0]),
    linked: true, // whether the right side shows the place of the left one
    // Whether a selected head selects the same place on the other side, and not the most similar head.
    same: false,
    picked: /** @type {number[]} */ ([]), // selected units of the left side
    overlaid: /** @type {Head[]} */ ([]), // heads drawn over the selected one
    view: /** @type {"heatmap" | "lines"} */ ("heatmap"),
    scale: /** @type {"linear" | "sqrt"} */ ("linear"),
    dimmed: /** @type {Partial<Record<Side, Head[]>>} */ ({}), // heads that are drawn pale
  };
  /** @type {Side} the side of the last click; the sentence is about it */
  side = "right";
  /** @type {Side} the side that a phone shows first: the sentence's, until the next click */
  first = "right";
  clicked = false;
  /** @type {{ side: Side, cell: number[] } | undefined} row and column of the link in the sentence */
  told = undefined;
  /** @type {Side | null} the side whose head the other side's is most similar to */
  paired = null;
  /** @type {{ side: Side, head: Head } | null} the head under the pointer */
  hovered = null;
  /** @type {(changes: object, wait?: number) => void} sends fields of the selection to the server */
  report = () => {};

  changed() {
    this.dispatchEvent(new Event("changed"));
  }

  /** @param {CaptureViewData} data of another sentence, model or display of tokens */
  receive({ subjects, strings, groups, compared, framed, cells }) {
    for (const { exact } of this.subjects) exact.asking?.abort();
    let start = 0;
    this.subjects = subjects.map((header) => {
      const { first = { rows: header.size, columns: (header.keys ?? header).size } } = header;
      const end = start + header.layers * header.heads * first.rows * first.columns;
      const data = { ...header, first, cells: cells.subarray(start, end) };
      const exact = new Exact(data, () => this.changed());
      start = end;
      if (header.whole !== undefined) {
        start += exact.area;
        exact.known.set(header.whole, cells.subarray(end, start));
      }
      return { ...data, exact };
    });
    this.strings = strings;
    this.groups = groups;
    this.compared = compared;
    this.framed = framed;
    this.hovered = null;
    this.first = this.side;
    this.clicked = false;
    this.paired = null;
    this.changed();
  }

  /** @param {Partial<Selection> & { side?: Side }} selection from the server */
  adopt(selection) {
    const { side, ...rest } = selection;
    const acting = side ?? this.side;
    if (acting !== this.side || String(rest[acting]) !== String(this.selection[acting]))
      this.paired = null;
    this.side = acting;
    if (!this.clicked) this.first = this.side;
    this.selection = { ...this.selection, ...rest };
    this.changed();
  }

  /** @param {Partial<Selection> & { side?: Side, paired?: boolean }} changes made by the user */
  select({ side, paired, ...changes }, wait = 0) {
    this.side = side ?? this.side;
    this.clicked ||= side !== undefined;
    this.selection = { ...this.selection, ...changes };
    this.hovered = null;
    if (side) this.paired = paired && this.compared?.length ? side : null;
    this.changed();
    this.report({ ...changes, ...(side && { side, paired }) }, wait);
  }

  // -- reading ---------------------------------------------------------------------------------

  /** @param {Side} side @returns {Subject} */
  subject(side) {
    return this.subjects.find((one) => one.side === side) ?? this.subjects[0];
  }

  /** @param {Subject} subject @returns {Head} its selected head, within its limits */
  headOf({ side, layers, heads }) {
    const { left, right, linked } = this.selection;
    const [layer, head] = side === "right" && !linked ? right : left;
    return [clamp(layer, 0, layers - 1), clamp(head, 0, heads - 1)];
  }

  /** @param {Subject} subject @returns {Head} the head to draw: under the pointer, or selected */
  shownHead(subject) {
    return this.hovered?.side === subject.side ? this.hovered.head : this.headOf(subject);
  }

  /** @param {Subject} subject @returns {Head[]} the selected head, and those drawn over it */
  drawnHeads(subject) {
    const first = this.shownHead(subject);
    const others = this.selection.overlaid.filter(
      ([layer, head]) => layer < subject.layers && head < subject.heads,
    );
    return [first, ...others.filter((head) => String(head) !== String(first))];
  }

  /** @param {Subject} subject @returns {number[]} its selected units; on the right side the counterparts */
  picked({ side, size }) {
    const { picked } = this.selection;
    if (side === "right" && this.groups) return counterparts(this.groups, picked, 0);
    return picked.filter((unit) => unit < size);
  }

  /** @returns {{ sqrt: boolean, low: number, high: number }} equal on both sides */
  scale() {
    const high = this.subjects[0].top ?? WHOLE;
    return { sqrt: this.selection.scale === "sqrt", low: 0, high };
  }

  // -- actions ---------------------------------------------------------------------------------

  /**
   * Select a head. The most similar head of the other side follows, from here or from the server, unless
   * the sides show the same place, or only this side changes.
   *
   * @param {Side} side
   * @param {Head} head
   * @param {boolean} [alone] whether the other side keeps its head
   * @param {number} [wait] milliseconds before the report
   */
  selectHead(side, head, alone = false, wait = 0) {
    if (this.subjects.length === 1 || (this.selection.same && !alone)) {
      this.select({ left: head, linked: true, side, paired: false }, wait);
      return;
    }
    const [left, right] = this.subjects.map((subject) => this.headOf(subject));
    const changes = { left, right, linked: false, [side]: head, side, paired: !alone };
    if (!alone && this.compared?.length) {
      const other = this.subject(side === "left" ? "right" : "left");
      changes[other.side] = mostSimilar(this.subject(side), head, other, this.compared);
    }
    this.select(changes, wait);
  }

  /** @param {Move} move of an arrow key in present mode */
  walk(move) {
    const subject = this.subject(this.side);
    const { layers, heads } = subject;
    const [layer, head] = this.headOf(subject);
    const to = walked({ layer, head, layers, heads }, move);
    const place = /** @type {Head} */ ([to.layer, to.head]);
    // The comparison stays: sides at the same place move together, and otherwise only one moves.
    if (this.selection.linked) this.select({ left: place, side: this.side, paired: false }, HELD);
    else this.selectHead(this.side, place, true, HELD);
  }

  /** @param {Head} head drawn over the selected one, or no longer */
  overlay(head) {
    const others = this.selection.overlaid.filter((other) => String(other) !== String(head));
    const added = others.length === this.selection.overlaid.length;
    this.select({ overlaid: added ? [...others, head] : others, view: "lines" });
  }

  /** @param {Side} side @param {number} unit @param {boolean} adds whether it is added to the others */
  pick(side, unit, adds) {
    const { picked } = this.selection;
    const across = side === "right" && this.groups;
    const units = across ? counterparts(across, [unit], 1) : [unit];
    const others = picked.filter((other) => !units.includes(other));
    const isPicked = others.length + units.length === picked.length;
    const both = isPicked ? others : [...others, ...units].sort((a, b) => a - b);
    this.select({ picked: adds ? both : isPicked && !others.length ? [] : units });
  }
}

/**
 * The units of the other side that share text with units of side `from`: 0 is left, 1 is right.
 *
 * @type {(groups: [left: number[], right: number[]][], units: number[], from: 0 | 1) => number[]}
 */
function counterparts(groups, units, from) {
  const shared = groups.filter((pair) => pair[from].some((unit) => units.includes(unit)));
  return shared.flatMap((pair) => pair[1 - from]);
}

/** @param {{ names?: string[] }} subject @param {Head} head @returns {string} L3·H1, or the row's name */
export function nameOf({ names }, [layer, head]) {
  return names ? names[layer] : headName(layer, head);
}

/** @type {Map<string, Store>} by the key of the view; its two components share it */
const stores = new Map();

/** @param {string} key @returns {Store} */
export function storeOf(key) {
  const store = stores.get(key) ?? new Store();
  stores.set(key, store);
  return store;
}
