// State of a capture view: its subjects and the selection. Every part reads it, and draws after
// each change. A change is drawn immediately; `report` sends it to the server.

import { WHOLE, clamp } from "../common/scale.js";
import { headName } from "../common/selection.js";
import { walked } from "../common/next_head.js";
import { Exact } from "./exact.js";
import { mostSimilar } from "./similar.js";

/** @typedef {[layer: number, head: number]} Head */

/**
 * @typedef {object} Selection as in the session of the server
 * @property {Head} left
 * @property {Head} right
 * @property {boolean} linked whether the right side shows the place of the left one
 * @property {boolean} same whether a selected head selects the same place on the other side, and not the
 *   most similar head
 * @property {number[]} picked selected units of the left side
 * @property {Head[]} overlaid heads drawn over the selected one
 * @property {"heatmap" | "lines"} view
 * @property {"linear" | "sqrt"} scale
 * @property {Partial<Record<Side, Head[]>>} dimmed heads that are drawn pale
 */

/** Milliseconds before a report: an arrow key that is held down sends one request. */
export const HELD = 120;

/** @type {Selection} */
const NOTHING = {
  left: [0, 0],
  right: [0, 0],
  linked: true,
  same: false,
  picked: [],
  overlaid: [],
  view: "heatmap",
  scale: "linear",
  dimmed: {},
};

export class Store {
  constructor() {
    /** @type {Subject[]} one for each column */
    this.subjects = [];
    /** @type {CaptureViewData["groups"]} */
    this.groups = null;
    /** @type {CaptureViewData["compared"]} */
    this.compared = undefined;
    /** @type {ViewStrings | null} */
    this.strings = null;
    this.selection = NOTHING;
    /** @type {Side} the side of the last click; the sentence is about it */
    this.side = "right";
    /** @type {Side} the side that a phone shows first: the sentence's, until the next click */
    this.first = "right";
    this.clicked = false;
    /** @type {Side | null} the side whose head the other side's is most similar to */
    this.paired = null;
    /** @type {{ side: Side, head: Head } | null} the head under the pointer */
    this.hovered = null;
    /** @type {Set<() => void>} */
    this.listeners = new Set();
    /** @type {(changes: object, wait?: number) => void} sends fields of the selection to the server */
    this.report = () => {};
  }

  /** @param {() => void} draw called after each change @param {AbortSignal} signal ends it */
  subscribe(draw, signal) {
    this.listeners.add(draw);
    signal.addEventListener("abort", () => this.listeners.delete(draw));
  }

  changed() {
    for (const draw of this.listeners) draw();
  }

  /** @param {CaptureViewData} data of another sentence, model or display of tokens */
  receive({ subjects, strings, groups, compared, cells }) {
    for (const { exact } of this.subjects) exact.asking?.abort();
    let start = 0;
    this.subjects = subjects.map((header) => {
      const { rows, columns } = header.first ?? {
        rows: header.size,
        columns: (header.keys ?? header).size,
      };
      const end = start + header.layers * header.heads * rows * columns;
      const data = { ...header, cells: cells.subarray(start, end) };
      const exact = new Exact(data);
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
      ([layer, head]) =>
        layer < subject.layers && head < subject.heads && (layer !== first[0] || head !== first[1]),
    );
    return [first, ...others];
  }

  /** @param {Subject} subject @returns {number[]} its selected units; on the right side the counterparts */
  picked({ side, size }) {
    const { picked } = this.selection;
    if (side === "left" || !this.groups) return picked.filter((unit) => unit < size);
    return this.groups
      .filter(([left]) => left.some((unit) => picked.includes(unit)))
      .flatMap(([, right]) => right);
  }

  /** @returns {{ sqrt: boolean, low: number, high: number }} equal on both sides */
  scale() {
    const high = this.subjects[0]?.top ?? WHOLE;
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
    const like = alone ? {} : this.counterpart(side, head);
    this.select({ left, right, ...like, linked: false, [side]: head, side, paired: !alone }, wait);
  }

  /**
   * @param {Side} side
   * @param {Head} head
   * @returns {Partial<Selection>} the most similar head of the other side, if it is known here
   */
  counterpart(side, head) {
    if (!this.compared?.length) return {};
    const isLeft = side === "left";
    const [left, right] = this.subjects;
    return isLeft
      ? { right: mostSimilar(left, head, right, this.compared) }
      : {
          left: mostSimilar(
            right,
            head,
            left,
            this.compared.map(([own, theirs]) => [theirs, own]),
          ),
        };
  }

  /** @param {Move} move of an arrow key in present mode */
  walk(move) {
    const subject = this.subject(this.side);
    const [layer, head] = this.headOf(subject);
    const to = walked({ layer, head, layers: subject.layers, heads: subject.heads }, move);
    /** @type {Head} */
    const place = [to.layer, to.head];
    // The comparison stays: sides at the same place move together, and otherwise only one moves.
    if (this.selection.linked) this.select({ left: place, side: this.side, paired: false }, HELD);
    else this.selectHead(this.side, place, true, HELD);
  }

  /** @param {Head} head drawn over the selected one, or no longer */
  overlay(head) {
    const same = (/** @type {Head} */ other) => other[0] === head[0] && other[1] === head[1];
    const others = this.selection.overlaid.filter((other) => !same(other));
    const added = others.length === this.selection.overlaid.length;
    this.select({ overlaid: added ? [...others, head] : others, view: "lines" });
  }

  /** @param {Side} side @param {number} unit @param {boolean} adds whether it is added to the others */
  pick(side, unit, adds) {
    const { picked } = this.selection;
    const units = side === "left" || !this.groups ? [unit] : this.onTheLeft([unit]);
    const others = picked.filter((other) => !units.includes(other));
    const isPicked = others.length + units.length === picked.length;
    const both = isPicked ? others : [...others, ...units].sort((a, b) => a - b);
    this.select({ picked: adds ? both : isPicked && !others.length ? [] : units });
  }

  /** @param {number[]} units of the right side @returns {number[]} */
  onTheLeft(units) {
    return (this.groups ?? [])
      .filter(([, right]) => right.some((unit) => units.includes(unit)))
      .flatMap(([left]) => left);
  }
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
