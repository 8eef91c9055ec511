// The canvas of all heads: positions and drawing. See fold.js for the layout.

import { screenRatio, sharp } from "../common/canvas.js";
import { unset } from "../common/find.js";
import { clamp } from "../common/scale.js";
import { foldOf, GAP, MARGIN } from "./fold.js";
import { drawThumbnails } from "./thumbnails.js";

/** @import { Scale } from "../common/scale.js" */
/** @import { Room } from "./fold.js" */

const GROUND = 0.06; // opacity of the background, in the text colour
const PALE = 0.12; // opacity of a head that the reader filtered out

/** @typedef {[place: Place, colour: string, width: number]} Outline */

export class Grid {
  /** @param {HTMLCanvasElement} canvas */
  constructor(canvas) {
    this.canvas = canvas;
    this.data = /** @type {HeadsData} */ (unset());
    this.ink = ""; // the colour of text
    /** @type {(ReturnType<typeof drawThumbnails> & { shown: string }) | null} */
    this.thumbnails = null;
    this.rows = 0; // layers of a block
    this.wide = 0; // pixels from one thumbnail to the next across
    this.high = 0; // and down
  }

  /** @param {HeadsData} data @param {string} ink the colour of text */
  receive(data, ink) {
    this.data = data;
    this.ink = ink;
    this.thumbnails = null;
  }

  /** @param {MouseEvent} event @returns {Place | null} the head under the pointer */
  at(event) {
    const box = this.canvas.getBoundingClientRect();
    const left = (event.clientX - box.left) / this.times;
    const top = (event.clientY - box.top) / this.times;
    const block = Math.floor(left / this.blockWide);
    const head = Math.floor((left - block * this.blockWide - MARGIN.left) / this.wide);
    const row = Math.floor((top - MARGIN.top) / this.high);
    const place = { layer: block * this.rows + row, head };
    return row >= 0 && row < this.rows && head >= 0 && this.has(place) ? place : null;
  }

  /** Scale: size on the screen / size in the layout. */
  get times() {
    return this.canvas.getBoundingClientRect().width / this.canvas.offsetWidth || 1;
  }

  /**
   * @param {Room} room
   * @param {Scale} scale
   * @param {Outline[]} outlines the last one is on top
   * @param {Rgb} rgb colour of a weight of 1
   * @param {Set<string>} dimmed "layer,head" of the pale heads
   */
  draw(room, scale, outlines, rgb, dimmed = new Set()) {
    const { layers, heads } = this.data;
    const aspect = aspectOf(this.data);
    const { blocks, rows, high, wide } = foldOf(room, this.data, aspect);
    this.rows = rows;
    this.high = high;
    this.wide = wide;
    if (high <= GAP || wide <= GAP) return; // no space for a thumbnail
    this.canvas.style.width = `${Math.ceil(this.blockWide * blocks)}px`;
    const pixels = {
      rows: Math.round((this.high - GAP) * screenRatio()),
      columns: Math.round((this.wide - GAP) * screenRatio()),
    };
    const drawn = JSON.stringify([scale, pixels, rgb]);
    if (this.thumbnails?.shown !== drawn) {
      const made = drawThumbnails({ ...this.data, rgb }, scale, pixels, this.ink);
      this.thumbnails = { ...made, shown: drawn };
    }
    const { thumbnails } = this;
    const width = parseFloat(this.canvas.style.width);
    const context = sharp(this.canvas, width, MARGIN.top + high * rows);
    context.imageSmoothingEnabled = false;
    for (let block = 0; block < blocks; block++) this.drawNames(context, block);
    for (let layer = 0; layer < layers; layer++)
      for (let head = 0; head < heads; head++) {
        const opacity = dimmed.has(`${layer},${head}`) ? PALE : 1;
        this.drawHead(context, thumbnails, layer, head, opacity);
      }
    for (const outline of outlines) this.outline(context, ...outline);
  }

  /** @param {CanvasRenderingContext2D} context @param {number} block */
  drawNames(context, block) {
    const { layers, heads, names } = this.data;
    const [middle, centre] = [(this.wide - GAP) / 2, (this.high - GAP) / 2];
    const first = block * this.rows;
    context.fillStyle = this.ink;
    context.font = "12px sans-serif";
    context.textAlign = "center";
    for (let head = 0; head < heads; head++) {
      const heading = names ? "" : this.wide < 24 ? String(head) : `H${head}`;
      context.fillText(heading, this.x({ layer: first, head }) + middle, 12);
    }
    context.textAlign = "right";
    for (let layer = first; layer < Math.min(first + this.rows, layers); layer++) {
      const place = { layer, head: 0 };
      context.fillText(
        names ? names[layer] : `L${layer}`,
        this.x(place) - 6,
        this.y(place) + centre + 4,
      );
    }
  }

  /**
   * @type {(context: CanvasRenderingContext2D, thumbnails: ReturnType<typeof drawThumbnails>,
   *   layer: number, head: number, opacity: number) => void}
   */
  drawHead(context, { canvas, ground, drawn }, layer, head, opacity) {
    /** @type {[number, number, number, number]} */
    const to = [this.x({ layer, head }), this.y({ layer, head }), this.wide - GAP, this.high - GAP];
    const { rows, columns } = drawn;
    /** @type {[number, number, number, number]} */
    const from = [head * columns, layer * rows, columns, rows];
    context.globalAlpha = GROUND;
    if (ground) context.drawImage(ground, ...from, ...to);
    else context.fillRect(...to);
    context.globalAlpha = opacity;
    context.drawImage(canvas, ...from, ...to);
    context.globalAlpha = 1;
  }

  /** @type {(context: CanvasRenderingContext2D, place: Place, colour: string, width: number) => void} */
  outline(context, place, colour, width) {
    if (!this.has(place)) return;
    const [wide, high] = [this.wide - GAP + 2, this.high - GAP + 2];
    context.strokeStyle = colour;
    context.lineWidth = width;
    context.strokeRect(this.x(place) - 1, this.y(place) - 1, wide, high);
  }

  /** @param {Place} place */
  has({ layer, head }) {
    return layer < this.data.layers && head < this.data.heads;
  }

  /** Pixels from one block of layers to the next. */
  get blockWide() {
    return MARGIN.left + this.wide * this.data.heads;
  }

  /** @param {Place} place */
  x({ layer, head }) {
    return Math.floor(layer / this.rows) * this.blockWide + MARGIN.left + head * this.wide;
  }

  /** @param {Place} place */
  y({ layer }) {
    return MARGIN.top + (layer % this.rows) * this.high;
  }
}

/**
 * @param {Pick<HeadsData, "size" | "keys">} data
 * @returns {number} width / height of a thumbnail: its cells are squares if the ratio is between
 *   0.5 and 2
 */
export function aspectOf({ size, keys }) {
  return keys ? clamp(keys.size / size, 0.5, 2) : 1;
}
