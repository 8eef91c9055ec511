// All heads of a subject on one canvas. The pointer previews a head in the large map; a click selects it.
// See fold.js for the layout.

import { inkOf, onResize, screenRatio, sharp } from "../common/canvas.js";
import { element } from "../common/element.js";
import { clamp } from "../common/scale.js";
import { magnified, presenting } from "../common/stage.js";
import { foldOf, GAP, MARGIN, moved } from "./fold.js";
import { HELD, nameOf } from "./store.js";
import { drawThumbnails } from "./thumbnails.js";

/** @import { Store } from "./store.js" */

const PRESENTED = 0.3; // share of a presented screen's height
const ALONE = 0.64; // the same without the selected heads, which come next
const TALL = 0.44; // share of the window's height, if the selected head is beside all heads
const GROUND = 0.06; // opacity of the background, in the text colour
const HIDDEN = 0.1; // of cells that a mask hides, over it
const LINE = 14; // pixels from one name to the next
const PALE = 0.12; // opacity of a head that the reader filtered out

/** @type {Record<string, [down: number, across: number]>} */
const MOVES = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };

export class Heads {
  canvas = element("canvas", "grid");
  /** @type {(ReturnType<typeof drawThumbnails> & { subject: Subject, how: string }) | null} */
  thumbnails = null;
  rows = 0; // layers of a block
  blocks = 0; // side by side
  wide = 0; // pixels from one thumbnail to the next across
  high = 0; // and down

  /** @param {HTMLElement} box @param {Store} store @param {Side} side @param {AbortSignal} signal */
  constructor(box, store, side, signal) {
    this.box = box;
    this.store = store;
    this.side = side;
    this.canvas.tabIndex = 0;
    this.canvas.setAttribute("role", "application");
    box.append(this.canvas);
    this.canvas.onpointermove = (event) =>
      event.pointerType !== "touch" && this.preview(this.at(event));
    this.canvas.onpointerleave = () => this.preview(null);
    this.canvas.onblur = () => this.preview(null);
    this.canvas.onclick = (event) => this.click(event);
    this.canvas.onkeydown = (event) => this.key(event);
    onResize(box, () => this.draw(), signal);
    window.addEventListener("resize", () => this.draw(), { signal }); // its height matters too
  }

  get subject() {
    return this.store.subject(this.side);
  }

  /** @param {MouseEvent} event @returns {Head | null} the head under the pointer */
  at(event) {
    const { layers, heads } = this.subject;
    const box = this.canvas.getBoundingClientRect();
    const times = box.width / this.canvas.offsetWidth || 1; // size on the screen / in the layout
    const left = (event.clientX - box.left) / times;
    const top = (event.clientY - box.top) / times;
    const block = Math.floor(left / this.blockWide);
    const head = Math.floor((left - block * this.blockWide - MARGIN.left) / this.wide);
    const row = Math.floor((top - MARGIN.top) / this.high);
    const layer = this.layerAt(block, row);
    const inside = row >= 0 && row < this.rows && layer < layers && head >= 0 && head < heads;
    return inside ? [layer, head] : null;
  }

  /** @param {Head | null} head */
  preview(head) {
    const { hovered } = this.store;
    const before = hovered?.side === this.side ? hovered.head : null;
    if (String(before) === String(head)) return;
    this.store.hovered = head && { side: this.side, head };
    this.store.changed();
  }

  /** @param {MouseEvent} event */
  click(event) {
    const head = this.at(event);
    if (!head) return;
    if (event.shiftKey) this.store.overlay(head);
    else this.store.selectHead(this.side, head, event.ctrlKey || event.metaKey);
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    const move = MOVES[event.key];
    if (!move) return;
    event.preventDefault();
    const { subject, store } = this;
    const line = this.rows > 1 ? this.blocks : 1; // in one row, down is the next layer, too
    const stride = subject.heads === 1 ? line : this.rows;
    const [layer, head] = moved(store.headOf(subject), move, subject, stride);
    /** @type {Head} */
    const inside = [clamp(layer, 0, subject.layers - 1), clamp(head, 0, subject.heads - 1)];
    store.selectHead(this.side, inside, false, HELD);
  }

  draw() {
    const { subject, store } = this;
    const width = this.box.clientWidth;
    if (!width) return;
    const selected = store.headOf(subject);
    this.canvas.setAttribute("aria-label", subject.description);
    this.canvas.dataset.selected = nameOf(subject, selected);
    this.canvas.dataset.sentence = subject.sentence;
    this.canvas.dataset.model = subject.model;
    const screen = window.innerHeight / magnified();
    const panel = this.box.nextElementSibling;
    const beside = panel && this.box.parentElement?.matches(".one > *");
    const alone = panel && getComputedStyle(panel).display === "none";
    const share = presenting() ? (alone ? ALONE : PRESENTED) : beside ? TALL : 0;
    const room = { width, screen, ...(share && { stage: share * screen }) };
    const { blocks, rows, high, wide } = foldOf(room, subject, aspectOf(subject));
    this.rows = rows;
    this.blocks = blocks;
    this.high = high;
    this.wide = wide;
    if (high <= GAP || wide <= GAP) return; // no space for a thumbnail
    const canvasWidth = Math.ceil(this.blockWide * blocks);
    this.canvas.style.width = `${canvasWidth}px`;
    const context = sharp(this.canvas, canvasWidth, MARGIN.top + high * rows);
    context.imageSmoothingEnabled = false;
    const ink = inkOf(this.box);
    context.fillStyle = ink;
    for (let block = 0; block < blocks; block++) this.drawNames(context, block);
    this.drawThumbnails(context, ink);
    /** @type {(head: Head, colour: string, thick: number) => void} */
    const outline = (head, colour, thick) => {
      context.strokeStyle = colour;
      context.lineWidth = thick;
      context.strokeRect(this.x(head) - 1, this.y(head) - 1, wide - GAP + 2, high - GAP + 2);
    };
    const [, ...overlaid] = store.drawnHeads(subject);
    overlaid.forEach((head, index) => outline(head, subject.colours[index + 1], 2));
    outline(selected, ink, 2.5);
    if (store.hovered?.side === this.side) outline(store.hovered.head, ink, 1);
  }

  /** @param {CanvasRenderingContext2D} context @param {number} block */
  drawNames(context, block) {
    const { layers, heads, names, notes } = this.subject;
    const [middle, centre] = [(this.wide - GAP) / 2, (this.high - GAP) / 2];
    const first = this.layerAt(block, 0);
    context.font = "12px sans-serif";
    context.textAlign = "center";
    const rare = (/** @type {number} */ pitch) => Math.ceil(LINE / Math.max(pitch, 1));
    for (let head = 0; head < heads; head += rare(this.wide)) {
      const heading = names ? "" : this.wide < 24 ? String(head) : `H${head}`;
      context.fillText(heading, this.x([first, head]) + middle, 12);
    }
    if (names && this.rows === 1) {
      const named = [names[first], notes?.[first]].filter(Boolean).join(" ");
      const end = this.blockWide * layers - context.measureText(named).width / 2;
      context.fillText(named, Math.min(this.x([first, 0]) + middle, end), 12);
      return;
    }
    context.textAlign = "right";
    for (let row = 0; row < this.rows; row += rare(this.high)) {
      const layer = this.layerAt(block, row);
      if (layer >= layers) break;
      const [left, top] = [this.x([layer, 0]), this.y([layer, 0])];
      const below = notes && centre > 12 ? 7 : 0; // half of the space of two lines
      context.fillText(names ? names[layer] : `L${layer}`, left - 6, top + centre + 4 - below);
      if (notes && below) context.fillText(notes[layer], left - 4, top + centre + 4 + below);
    }
  }

  /** @param {CanvasRenderingContext2D} context @param {string} ink */
  drawThumbnails(context, ink) {
    const { subject, store } = this;
    const size = /** @type {const} */ ([this.wide - GAP, this.high - GAP]);
    const [columns, rows] = size.map((length) => Math.round(length * screenRatio()));
    const how = JSON.stringify([store.scale(), rows, columns, ink]);
    if (this.thumbnails?.subject !== subject || this.thumbnails.how !== how) {
      const made = drawThumbnails(subject, store.scale(), { rows, columns }, ink);
      this.thumbnails = { ...made, subject, how };
    }
    const { canvas, hidden, drawn } = this.thumbnails;
    const pale = new Set(store.selection.dimmed[this.side]?.map(String));
    for (let layer = 0; layer < subject.layers; layer++)
      for (let head = 0; head < subject.heads; head++) {
        const to = /** @type {const} */ ([this.x([layer, head]), this.y([layer, head]), ...size]);
        /** @type {[number, number, number, number]} */
        const from = [head * drawn.columns, layer * drawn.rows, drawn.columns, drawn.rows];
        context.globalAlpha = GROUND;
        context.fillRect(...to);
        context.globalAlpha = HIDDEN;
        if (hidden) context.drawImage(hidden, ...from, ...to);
        context.globalAlpha = pale.has(`${layer},${head}`) ? PALE : 1;
        context.drawImage(canvas, ...from, ...to);
      }
    context.globalAlpha = 1;
  }

  /** Pixels from one block of layers to the next. */
  get blockWide() {
    return MARGIN.left + this.wide * this.subject.heads;
  }

  /** @param {number} block @param {number} row @returns {number} pictures of layers follow in rows */
  layerAt(block, row) {
    return this.subject.heads === 1 ? row * this.blocks + block : block * this.rows + row;
  }

  /** @param {Head} place */
  x([layer, head]) {
    const { rows, blocks } = this;
    const block = this.subject.heads === 1 ? layer % blocks : Math.floor(layer / rows);
    return block * this.blockWide + MARGIN.left + head * this.wide;
  }

  /** @param {Head} place */
  y([layer]) {
    const { rows, blocks } = this;
    const row = this.subject.heads === 1 ? Math.floor(layer / blocks) : layer % rows;
    return MARGIN.top + row * this.high;
  }
}

/**
 * @param {Pick<Subject, "size" | "keys">} subject
 * @returns {number} width / height of a thumbnail: its cells are squares if the ratio is between
 *   0.5 and 2
 */
export function aspectOf({ size, keys }) {
  return keys ? clamp(keys.size / size, 0.5, 2) : 1;
}
