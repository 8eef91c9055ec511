// The canvas of all heads, layers down and heads across: where each stands, and how it is drawn.

import { screenRatio, sharp } from "../common/canvas.js";
import { clamp } from "../common/scale.js";
import { drawThumbnails } from "./thumbnails.js";

/** @import { Scale } from "../common/scale.js" */

const MARGIN = { left: 30, top: 18 };
const GAP = 3;
const GROUND = 0.06; // opacity of the colour of text behind the weights
const SHARE = 0.26; // of the window's height that a model of six layers takes
const LEAST = 26; // pixels of a thumbnail in a model of many layers, where the width allows them

/** @typedef {[place: Place, colour: string, width: number]} Outline */

export class Grid {
  /** @param {HTMLCanvasElement} canvas */
  constructor(canvas) {
    this.canvas = canvas;
  }

  /**
   * @param {OverviewHeader & Cells} data
   * @param {string} ink the colour of text
   */
  receive(data, ink) {
    this.data = data;
    this.ink = ink;
    this.thumbnails = null;
  }

  /**
   * @param {MouseEvent} event
   * @returns {Place | null} the head under the pointer
   */
  at(event) {
    const box = this.canvas.getBoundingClientRect();
    const head = Math.floor((event.clientX - box.left - MARGIN.left) / this.wide);
    const layer = Math.floor((event.clientY - box.top - MARGIN.top) / this.high);
    return layer >= 0 && head >= 0 && this.has({ layer, head }) ? { layer, head } : null;
  }

  /**
   * @param {Place} place
   * @returns {{ left: number, top: number, wide: number, high: number }} its corner in the window,
   *   and how far it is to the next one
   */
  where({ layer, head }) {
    const { left, top } = this.canvas.getBoundingClientRect();
    return {
      left: left + this.x(head),
      top: top + this.y(layer),
      wide: this.wide,
      high: this.high,
    };
  }

  /** @returns {DOMRect} where all of them stand in the window */
  box() {
    return this.canvas.getBoundingClientRect();
  }

  /**
   * @param {number} width in CSS pixels
   * @param {number} screen the window's height
   * @param {Scale} scale
   * @param {Outline[]} outlines the last on top
   */
  draw(width, screen, scale, outlines) {
    const { layers, heads } = this.data;
    const aspect = aspectOf(this.data);
    this.high = stepOf(width, screen, layers, heads, aspect);
    this.wide = aspect === 1 ? this.high : (this.high - GAP) * aspect + GAP;
    this.canvas.style.width = `${Math.ceil(MARGIN.left + this.wide * heads)}px`;
    const pixels = {
      rows: Math.round((this.high - GAP) * screenRatio()),
      columns: Math.round((this.wide - GAP) * screenRatio()),
    };
    const drawn = JSON.stringify([scale, pixels]);
    if (this.thumbnails?.shown !== drawn)
      this.thumbnails = { ...drawThumbnails(this.data, scale, pixels, this.ink), shown: drawn };
    const context = sharp(
      this.canvas,
      parseFloat(this.canvas.style.width),
      MARGIN.top + this.high * layers,
    );
    context.imageSmoothingEnabled = false;
    this.drawNames(context);
    for (let layer = 0; layer < layers; layer++)
      for (let head = 0; head < heads; head++) this.drawHead(context, layer, head);
    for (const outline of outlines) this.outline(context, ...outline);
  }

  /** @param {CanvasRenderingContext2D} context */
  drawNames(context) {
    const { layers, heads, columns } = this.data;
    const [middle, centre] = [(this.wide - GAP) / 2, (this.high - GAP) / 2];
    context.fillStyle = this.ink;
    context.font = "11px sans-serif";
    context.textAlign = "center";
    for (let head = 0; head < heads; head++) {
      const heading = columns ? columns[head] : this.wide < 24 ? String(head) : `H${head}`;
      context.fillText(heading, this.x(head) + middle, 12);
    }
    if (columns) return;
    context.textAlign = "right";
    for (let layer = 0; layer < layers; layer++)
      context.fillText(`L${layer}`, MARGIN.left - 6, this.y(layer) + centre + 4);
  }

  /**
   * @param {CanvasRenderingContext2D} context
   * @param {number} layer
   * @param {number} head
   */
  drawHead(context, layer, head) {
    const { canvas, ground, drawn } = this.thumbnails;
    /** @type {[number, number, number, number]} */
    const to = [this.x(head), this.y(layer), this.wide - GAP, this.high - GAP];
    const { rows, columns } = drawn;
    /** @type {[number, number, number, number]} */
    const from = [head * columns, layer * rows, columns, rows];
    context.globalAlpha = GROUND;
    if (ground) context.drawImage(ground, ...from, ...to);
    else context.fillRect(...to);
    context.globalAlpha = 1;
    context.drawImage(canvas, ...from, ...to);
  }

  /**
   * @param {CanvasRenderingContext2D} context
   * @param {Place} place
   * @param {string} colour
   * @param {number} width of the line
   */
  outline(context, place, colour, width) {
    if (!this.has(place)) return;
    const [wide, high] = [this.wide - GAP + 2, this.high - GAP + 2];
    context.strokeStyle = colour;
    context.lineWidth = width;
    context.strokeRect(this.x(place.head) - 1, this.y(place.layer) - 1, wide, high);
  }

  /** @param {Place} place */
  has({ layer, head }) {
    return layer < this.data.layers && head < this.data.heads;
  }

  /** @param {number} head */
  x(head) {
    return MARGIN.left + head * this.wide;
  }

  /** @param {number} layer */
  y(layer) {
    return MARGIN.top + layer * this.high;
  }
}

/**
 * @param {Pick<OverviewHeader, "size" | "keys">} data
 * @returns {number} how many times as wide as high a thumbnail is: its cells are squares, up to
 *   twice as many of them one way as the other
 */
export function aspectOf({ size, keys }) {
  return keys ? clamp(keys.size / size, 0.5, 2) : 1;
}

/**
 * @param {number} width of the room there is
 * @param {number} screen the window's height
 * @param {number} layers
 * @param {number} heads
 * @param {number} [aspect] of a thumbnail
 * @returns {number} from one thumbnail down to the next: as much as there is room, but so that all
 *   of them and what is read below them are on the screen together
 */
export function stepOf(width, screen, layers, heads, aspect = 1) {
  const across = ((width - MARGIN.left) / heads - GAP) / aspect + GAP;
  const down = (Math.max(SHARE * screen, 200) - MARGIN.top) / layers;
  return Math.min(across, Math.max(down, LEAST));
}
