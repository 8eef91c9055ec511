// Attention as lines from attending tokens (left) to attended tokens (right), one colour per head.
// Weights arrive as whole ten-thousandths; hovering isolates a token and prints its numbers.

import { inkOf, onResize, sharp } from "../common/canvas.js";
import { mount } from "../common/mount.js";
import { four, opacity, scaleOf } from "../common/scale.js";
import { toggled } from "../common/selection.js";
import { unpack } from "../common/unpack.js";

const THINNEST = 0.8; // pixels
const THICKEST = 4;
const FAINTEST = 100; // lines below 0.01 are not drawn; hovering still prints their numbers

/** @implements {Drawing<Uint8Array>} */
class Lines {
  /**
   * @param {HTMLElement} root
   * @param {AbortSignal} signal
   */
  constructor(root, signal) {
    this.root = root;
    this.canvas = root.querySelector("canvas");
    this.legend = root.querySelector(".legend");
    /** @type {LinesHeader & Cells} */
    this.data = undefined;
    /** @type {{ token: number, query: boolean } | null} */
    this.hovered = null;
    this.canvas.onpointermove = (event) => this.hover(this.at(event));
    this.canvas.onpointerleave = () => this.hover(null);
    this.canvas.onclick = (event) => this.click(this.at(event));
    window.addEventListener("headlight-view", () => this.draw(), { signal });
    onResize(root, () => this.draw(), signal);
  }

  /** @param {Component<Uint8Array>} component */
  receive(component) {
    this.send = component.setTriggerValue;
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

  picked() {
    return window.headlightView ? window.headlightView.picked[this.data.side] : [];
  }

  /**
   * @param {MouseEvent} event
   * @returns {{ token: number, query: boolean } | null} what is under the pointer
   */
  at(event) {
    const box = this.canvas.getBoundingClientRect();
    const token = Math.floor((event.clientY - box.top - 4) / this.row);
    if (token < 0 || token >= this.data.size) return null;
    return { token, query: event.clientX - box.left < box.width / 2 };
  }

  hover(where) {
    const before = this.hovered;
    if (where && before && where.token === before.token && where.query === before.query) return;
    this.hovered = where;
    this.draw();
  }

  click(where) {
    if (!where) return;
    this.send("picked", toggled(this.picked(), where.token));
  }

  /**
   * @param {number} head
   * @param {number} query
   * @param {number} key
   * @returns {number} in ten-thousandths
   */
  weight(head, query, key) {
    const { size, cells } = this.data;
    return cells[(head * size + query) * size + key];
  }

  // A hovered token is isolated; otherwise the picked ones, if any; otherwise all are shown.
  isShown(query, key) {
    if (this.hovered) return this.hovered.token === (this.hovered.query ? query : key);
    const picked = this.picked();
    return picked.length === 0 || picked.includes(query);
  }

  draw() {
    const width = this.root.clientWidth;
    if (!this.data || !width) return;
    const { size, labels, heads } = this.data;
    this.row = Math.min(24, Math.max(11, 3200 / size));
    const height = size * this.row + 8;
    const context = sharp(this.canvas, width, height);
    const scale = scaleOf(window.headlightView);
    const gutter = Math.min(150, width * 0.32);
    const middle = (token) => 4 + (token + 0.5) * this.row;
    for (let head = 0; head < heads; head++) {
      const shift = (head - (heads - 1) / 2) * Math.min(2.5, this.row / (heads + 1));
      context.strokeStyle = this.data.colours[head];
      for (let query = 0; query < size; query++)
        for (let key = 0; key < size; key++) {
          const value = this.weight(head, query, key);
          if (value < FAINTEST || !this.isShown(query, key)) continue;
          const strength = opacity(value, scale);
          context.globalAlpha = strength;
          context.lineWidth = THINNEST + (THICKEST - THINNEST) * strength;
          context.beginPath();
          context.moveTo(gutter, middle(query) + shift);
          context.lineTo(width - gutter, middle(key) + shift);
          context.stroke();
        }
    }
    context.globalAlpha = 1;
    this.drawTokens(context, labels, gutter, width, middle);
  }

  drawTokens(context, labels, gutter, width, middle) {
    const font = Math.min(14, this.row * 0.62);
    const picked = this.picked();
    context.fillStyle = this.ink;
    labels.forEach((label, token) => {
      const y = middle(token) + font * 0.35;
      const strong = picked.includes(token);
      context.font = `${strong ? "bold " : ""}${font}px sans-serif`;
      context.textAlign = "right";
      context.fillText(this.withNumbers(label, token, true), gutter - 6, y, gutter - 8);
      context.textAlign = "left";
      context.fillText(this.withNumbers(label, token, false), width - gutter + 6, y, gutter - 8);
    });
  }

  // Beside the other end of a hovered token's lines, their weights to four decimals.
  withNumbers(label, token, isQuery) {
    if (!this.hovered || this.hovered.query === isQuery) return label;
    const numbers = [];
    for (let head = 0; head < Math.min(this.data.heads, 3); head++) {
      const value = isQuery
        ? this.weight(head, token, this.hovered.token)
        : this.weight(head, this.hovered.token, token);
      numbers.push(four(value));
    }
    return isQuery ? `${numbers.join(" ")}  ${label}` : `${label}  ${numbers.join(" ")}`;
  }
}

/**
 * @param {Component<Uint8Array>} component
 * @returns {() => void}
 */
export default function (component) {
  return mount(component, ".lines", Lines);
}
