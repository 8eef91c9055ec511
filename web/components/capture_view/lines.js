// The drawn heads of a subject as lines from attending tokens (left) to attended tokens (right), one
// colour for each head. The pointer isolates a token and prints its weights.

import { inkOf, sharp } from "../common/canvas.js";
import { FAINTEST, MASKED, four, opacity } from "../common/scale.js";

/** @import { Store } from "./store.js" */

const THINNEST = 0.8; // pixels
const THICKEST = 4;

/** @typedef {{ token: number, query: boolean }} TokenPlace a token; queries are on the left */

export class Lines {
  /** @param {Store} store @param {Side} side */
  constructor(store, side) {
    this.store = store;
    this.side = side;
    this.canvas = document.createElement("canvas");
    this.canvas.className = "lines";
    /** @type {TokenPlace | null} */
    this.hovered = null;
    this.row = 0; // pixels from one token to the next
    this.width = 0;
    this.canvas.onpointermove = (event) => this.hover(this.at(event));
    this.canvas.onpointerleave = () => this.hover(null);
    this.canvas.onclick = (event) => this.click(event);
  }

  get subject() {
    return this.store.subject(this.side);
  }

  /** The number of tokens on the left and on the right. */
  counts() {
    const { size, keys } = this.subject;
    return { queries: size, keys: keys ? keys.size : size };
  }

  /** The shorter list is centred on the longer one. @param {number} token @param {boolean} query */
  middleOf(token, query) {
    const { queries, keys } = this.counts();
    const longer = Math.max(queries, keys);
    return 4 + (token + 0.5 + (longer - (query ? queries : keys)) / 2) * this.row;
  }

  /** @param {MouseEvent} event @returns {TokenPlace | null} the token under the pointer */
  at(event) {
    const box = this.canvas.getBoundingClientRect();
    const query = event.clientX - box.left < box.width / 2;
    const y = (event.clientY - box.top) / (box.height / this.canvas.offsetHeight || 1);
    const token = Math.floor((y - this.middleOf(0, query)) / this.row + 0.5);
    const { queries, keys } = this.counts();
    return token >= 0 && token < (query ? queries : keys) ? { token, query } : null;
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
    const { subject, store } = this;
    if (!subject || !width || this.canvas.hidden) return;
    const heads = store.drawnHeads(subject).flatMap((head) => {
      const cells = subject.exact.of(head);
      if (!cells) subject.exact.request(head).then((arrived) => arrived && store.changed());
      return cells ? [cells] : [];
    });
    const counts = this.counts();
    const longer = Math.max(counts.queries, counts.keys);
    this.row = Math.min(24, Math.max(11, 3200 / longer));
    const context = sharp(this.canvas, width, longer * this.row + 8);
    this.canvas.style.width = `${width}px`;
    const scale = store.scale();
    const gutter = Math.min(150, width * 0.32);
    const picked = store.picked(subject);
    heads.forEach((cells, index) => {
      const shift = (index - (heads.length - 1) / 2) * Math.min(2.5, this.row / (heads.length + 1));
      const one = heads.length === 1;
      context.strokeStyle = one ? `rgb(${subject.rgb.join()})` : subject.colours[index];
      cells.forEach((value, at) => {
        const [query, key] = [Math.floor(at / counts.keys), at % counts.keys];
        if (value < FAINTEST || value === MASKED || !this.isShown(query, key, picked)) return;
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
    this.drawTokens(context, true, gutter - 6, gutter - 8, heads, picked);
    this.drawTokens(context, false, width - gutter + 6, gutter - 8, heads, picked);
  }

  /**
   * Whether a line is shown. A hovered token is isolated; otherwise the selected tokens are, if there
   * are any; otherwise all lines are shown.
   *
   * @type {(query: number, key: number, picked: number[]) => boolean}
   */
  isShown(query, key, picked) {
    if (this.hovered) return this.hovered.token === (this.hovered.query ? query : key);
    return picked.length === 0 || picked.includes(query);
  }

  /**
   * The tokens on the left if `isQuery`; `room` is the maximum width in pixels.
   *
   * @type {(context: CanvasRenderingContext2D, isQuery: boolean, x: number, room: number,
   *   heads: Uint16Array[], picked: number[]) => void}
   */
  drawTokens(context, isQuery, x, room, heads, picked) {
    const { labels } = isQuery ? this.subject : (this.subject.keys ?? this.subject);
    const font = Math.min(14, this.row * 0.62);
    const strong = isQuery || !this.subject.keys ? picked : [];
    context.textAlign = isQuery ? "right" : "left";
    labels.forEach((label, token) => {
      context.font = `${strong.includes(token) ? "bold " : ""}${font}px sans-serif`;
      const y = this.middleOf(token, isQuery) + font * 0.35;
      context.fillText(this.withNumbers(label, token, isQuery, heads), x, y, room);
    });
  }

  /**
   * Add weights with four decimals to a label, if a token on the other side is hovered.
   *
   * @type {(label: string, token: number, isQuery: boolean, heads: Uint16Array[]) => string}
   */
  withNumbers(label, token, isQuery, heads) {
    const { hovered } = this;
    if (!hovered || hovered.query === isQuery) return label;
    const { keys } = this.counts();
    const [query, key] = isQuery ? [token, hovered.token] : [hovered.token, token];
    const numbers = heads.slice(0, 3).map((cells) => {
      const value = cells[query * keys + key];
      return value === MASKED ? (this.store.strings?.masked ?? "–") : four(value);
    });
    return isQuery ? `${numbers.join(" ")}  ${label}` : `${label}  ${numbers.join(" ")}`;
  }
}
