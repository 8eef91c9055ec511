// The drawn heads of a subject as lines from attending tokens (left) to attended tokens (right), one
// colour for each head. The pointer isolates a token and prints its weights.

import { inkOf, sharp } from "../common/canvas.js";
import { element } from "../common/element.js";
import { FAINTEST, MASKED, four, opacity } from "../common/scale.js";

/** @import { Store } from "./store.js" */

const THINNEST = 0.8; // pixels
const THICKEST = 4;

/** @typedef {{ token: number, query: boolean }} TokenPlace a token; queries are on the left */

export class Lines {
  canvas = element("canvas", "lines");
  /** @type {TokenPlace | null} */
  hovered = null;
  row = 0; // pixels from one token to the next
  width = 0;
  heads = /** @type {Uint16Array[]} */ ([]); // the weights of the drawn heads
  picked = /** @type {number[]} */ ([]);

  /** @param {Store} store @param {Side} side */
  constructor(store, side) {
    this.store = store;
    this.side = side;
    this.canvas.onpointermove = (event) => this.hover(this.at(event));
    this.canvas.onpointerleave = () => this.hover(null);
    this.canvas.onclick = (event) => this.click(event);
  }

  get subject() {
    return this.store.subject(this.side);
  }

  /** The tokens on the left if `query`, otherwise on the right. @param {boolean} query */
  labels(query) {
    const { subject } = this;
    return (query ? subject : (subject.keys ?? subject)).labels;
  }

  /** The shorter list is centred on the longer one. @param {number} token @param {boolean} query */
  middleOf(token, query) {
    const [own, other] = [this.labels(query).length, this.labels(!query).length];
    return 4 + (token + 0.5 + Math.max(other - own, 0) / 2) * this.row;
  }

  /** @param {MouseEvent} event @returns {TokenPlace | null} the token under the pointer */
  at(event) {
    const box = this.canvas.getBoundingClientRect();
    const query = event.clientX - box.left < box.width / 2;
    const y = (event.clientY - box.top) / (box.height / this.canvas.offsetHeight || 1);
    const token = Math.floor((y - this.middleOf(0, query)) / this.row + 0.5);
    return token >= 0 && token < this.labels(query).length ? { token, query } : null;
  }

  /** @param {TokenPlace | null} where */
  hover(where) {
    if (JSON.stringify(where) === JSON.stringify(this.hovered)) return;
    this.hovered = where;
    this.draw(this.width);
  }

  /** @param {MouseEvent} event */
  click(event) {
    const where = this.at(event);
    if (!where || (this.subject.keys && !where.query)) return;
    this.store.pick(this.side, where.token, event.shiftKey);
  }

  /** @param {number} width */
  draw(width) {
    this.width = width;
    const { subject, store, hovered } = this;
    if (!width || this.canvas.hidden) return;
    this.heads = store.drawnHeads(subject).flatMap((head) => {
      const cells = subject.exact.of(head);
      if (!cells) subject.exact.request(head);
      return cells ?? [];
    });
    this.picked = store.picked(subject);
    const keys = this.labels(false).length;
    const longer = Math.max(subject.size, keys);
    this.row = Math.min(24, Math.max(11, 3200 / longer));
    const context = sharp(this.canvas, width, longer * this.row + 8);
    this.canvas.style.width = `${width}px`;
    const scale = store.scale();
    const gutter = Math.min(150, width * 0.32);
    this.heads.forEach((cells, index, { length }) => {
      const shift = (index - (length - 1) / 2) * Math.min(2.5, this.row / (length + 1));
      context.strokeStyle = length === 1 ? `rgb(${subject.rgb})` : subject.colours[index];
      cells.forEach((value, at) => {
        const [query, key] = [Math.floor(at / keys), at % keys];
        if (value < FAINTEST || value === MASKED) return;
        // A hovered token is isolated; otherwise the selected tokens are, if there are any.
        const isShown = hovered
          ? hovered.token === (hovered.query ? query : key)
          : this.picked.length === 0 || this.picked.includes(query);
        if (!isShown) return;
        const strength = opacity(value, scale);
        context.globalAlpha = strength;
        context.lineWidth = THINNEST + (THICKEST - THINNEST) * strength;
        context.beginPath();
        context.moveTo(gutter, this.middleOf(query, true) + shift);
        context.lineTo(width - gutter, this.middleOf(key, false) + shift);
        context.stroke();
      });
    });
    context.globalAlpha = 1;
    context.fillStyle = inkOf(this.canvas);
    this.drawTokens(context, true, gutter - 6, gutter - 8);
    this.drawTokens(context, false, width - gutter + 6, gutter - 8);
  }

  /**
   * The tokens on the left if `isQuery`; `room` is the maximum width in pixels.
   *
   * @type {(context: CanvasRenderingContext2D, isQuery: boolean, x: number, room: number) => void}
   */
  drawTokens(context, isQuery, x, room) {
    const font = Math.min(14, this.row * 0.62);
    const strong = isQuery || !this.subject.keys ? this.picked : [];
    context.textAlign = isQuery ? "right" : "left";
    this.labels(isQuery).forEach((label, token) => {
      context.font = `${strong.includes(token) ? "bold " : ""}${font}px sans-serif`;
      const y = this.middleOf(token, isQuery) + font * 0.35;
      context.fillText(this.withNumbers(label, token, isQuery), x, y, room);
    });
  }

  /**
   * Add weights with four decimals to a label, if a token on the other side is hovered.
   *
   * @type {(label: string, token: number, isQuery: boolean) => string}
   */
  withNumbers(label, token, isQuery) {
    const { hovered } = this;
    if (!hovered || hovered.query === isQuery) return label;
    const keys = this.labels(false).length;
    const [query, key] = isQuery ? [token, hovered.token] : [hovered.token, token];
    const numbers = this.heads.slice(0, 3).map((cells) => {
      const value = cells[query * keys + key];
      return value === MASKED ? this.store.strings.masked : four(value);
    });
    return isQuery ? `${numbers.join(" ")}  ${label}` : `${label}  ${numbers.join(" ")}`;
  }
}
