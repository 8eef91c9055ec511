// Attention as lines from attending tokens (left) to attended tokens (right), one colour per head.
// Weights are integers in ten-thousandths. Hovering isolates a token and prints its weights.

import { inkOf, onResize, sharp } from "../common/canvas.js";
import { colourOf, hueOn } from "../common/contrast.js";
import { find, unset } from "../common/find.js";
import { mount } from "../common/mount.js";
import { FAINTEST, MASKED, four, opacity, scaleOf } from "../common/scale.js";
import { roomBelow } from "../common/stage.js";
import { middleOf, tokenAt } from "../common/token_lists.js";
import { unpack } from "../common/unpack.js";

const THINNEST = 0.8; // pixels
const THICKEST = 4;

/** @typedef {{ token: number, query: boolean }} TokenPlace a token; queries are on the left */
/** @typedef {(token: number, query: boolean) => number} Middle the y coordinate of a token */

class Lines {
  /** @param {HTMLElement} root @param {AbortSignal} signal */
  constructor(root, signal) {
    this.root = root;
    this.canvas = find(root, "canvas", HTMLCanvasElement);
    this.legend = find(root, ".legend");
    this.data = /** @type {LinesHeader & Cells} */ (unset());
    /** @type {number} pixels from one token to the next */
    this.row = unset();
    this.ink = /** @type {string} */ (unset());
    this.hovered = /** @type {TokenPlace | null} */ (null);
    this.canvas.onpointermove = (event) => this.hover(this.at(event));
    this.canvas.onpointerleave = () => this.hover(null);
    onResize(root, () => this.draw(), signal);
  }

  /** @param {Component<Uint8Array>} component */
  receive(component) {
    this.data = unpack(component.data);
    this.ink = inkOf(this.root);
    this.canvas.setAttribute("aria-label", this.data.description);
    this.legend.replaceChildren(
      ...this.data.names.map((name, index) => {
        const item = document.createElement("span");
        item.textContent = name;
        item.style.setProperty("--colour", this.data.colours[index]);
        return item;
      }),
    );
    this.draw();
  }

  /** @returns {{ queries: number, keys: number }} number of tokens on the left and on the right */
  counts() {
    return { queries: this.data.size, keys: (this.data.keys ?? this.data).size };
  }

  /** @param {MouseEvent} event @returns {TokenPlace | null} the token under the pointer */
  at(event) {
    const box = this.canvas.getBoundingClientRect();
    const query = event.clientX - box.left < box.width / 2;
    const y = (event.clientY - box.top) / (box.height / this.canvas.offsetHeight || 1);
    const token = tokenAt(y, query, this.counts(), this.row);
    return token === null ? null : { token, query };
  }

  /** @param {TokenPlace | null} where */
  hover(where) {
    const before = this.hovered;
    if (where && before && where.token === before.token && where.query === before.query) return;
    this.hovered = where;
    this.draw();
  }

  /**
   * @param {number} head
   * @param {number} query
   * @param {number} key
   * @returns {number} in ten-thousandths
   */
  weight(head, query, key) {
    const { queries, keys } = this.counts();
    return this.data.cells[(head * queries + query) * keys + key];
  }

  /**
   * Whether a line is shown: a hovered token is isolated.
   *
   * @param {number} query
   * @param {number} key
   */
  isShown(query, key) {
    if (this.hovered) return this.hovered.token === (this.hovered.query ? query : key);
    return true;
  }

  draw() {
    const width = this.root.clientWidth;
    if (!this.data || !width) return;
    const { heads } = this.data;
    const counts = this.counts();
    const longer = Math.max(counts.queries, counts.keys);
    const room = roomBelow(this.canvas);
    this.row = room ? Math.max(room - 12, 0) / longer : Math.min(24, Math.max(11, 3200 / longer));
    const height = longer * this.row + 8;
    const context = sharp(this.canvas, width, height);
    const scale = scaleOf();
    const gutter = Math.min(150, width * 0.32);
    /** @type {Middle} */
    const middle = (token, query) => middleOf(token, query, counts, this.row);
    for (let head = 0; head < heads; head++) {
      const shift = (head - (heads - 1) / 2) * Math.min(2.5, this.row / (heads + 1));
      const hue = hueOn(colourOf(this.data.colours[head]).rgb, this.root);
      context.strokeStyle = `rgb(${hue.join()})`;
      for (let query = 0; query < counts.queries; query++)
        for (let key = 0; key < counts.keys; key++) {
          const value = this.weight(head, query, key);
          if (value < FAINTEST || value === MASKED || !this.isShown(query, key)) continue;
          const strength = opacity(value, scale);
          context.globalAlpha = strength;
          context.lineWidth = THINNEST + (THICKEST - THINNEST) * strength;
          context.beginPath();
          context.moveTo(gutter, middle(query, true) + shift);
          context.lineTo(width - gutter, middle(key, false) + shift);
          context.stroke();
        }
    }
    context.globalAlpha = 1;
    this.drawTokens(context, true, gutter - 6, gutter - 8, middle);
    this.drawTokens(context, false, width - gutter + 6, gutter - 8, middle);
  }

  /**
   * @param {CanvasRenderingContext2D} context
   * @param {boolean} isQuery whether these are the tokens on the left
   * @param {number} x
   * @param {number} room the maximum width in pixels
   * @param {Middle} middle
   */
  drawTokens(context, isQuery, x, room, middle) {
    const { labels } = isQuery ? this.data : (this.data.keys ?? this.data);
    const font = Math.min(14, this.row * 0.62);
    context.fillStyle = this.ink;
    context.textAlign = isQuery ? "right" : "left";
    context.font = `${font}px sans-serif`;
    labels.forEach((label, token) => {
      const y = middle(token, isQuery) + font * 0.35;
      context.fillText(this.withNumbers(label, token, isQuery), x, y, room);
    });
  }

  /**
   * Add weights with four decimals to a label, if a token on the other side is hovered.
   *
   * @param {string} label
   * @param {number} token
   * @param {boolean} isQuery
   */
  withNumbers(label, token, isQuery) {
    if (!this.hovered || this.hovered.query === isQuery) return label;
    const numbers = [];
    for (let head = 0; head < Math.min(this.data.heads, 3); head++) {
      const value = isQuery
        ? this.weight(head, token, this.hovered.token)
        : this.weight(head, this.hovered.token, token);
      numbers.push(value === MASKED ? (this.data.masked ?? "–") : four(value));
    }
    return isQuery ? `${numbers.join(" ")}  ${label}` : `${label}  ${numbers.join(" ")}`;
  }
}

export default mount(".lines", Lines);
