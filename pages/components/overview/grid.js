// The canvas of all heads, layers down and heads across: where each stands, and how it is drawn.

import { screenRatio, sharp } from "../common/canvas.js";
import { drawThumbnails } from "./thumbnails.js";

/** @import { Scale } from "../common/scale.js" */

const MARGIN = { left: 30, top: 18 };
const GAP = 3;
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
    const head = Math.floor((event.clientX - box.left - MARGIN.left) / this.step);
    const layer = Math.floor((event.clientY - box.top - MARGIN.top) / this.step);
    return layer >= 0 && head >= 0 && this.has({ layer, head }) ? { layer, head } : null;
  }

  /**
   * @param {Place} place
   * @returns {{ left: number, top: number, step: number }} its corner in the window, and how far it
   *   is to the next one
   */
  where({ layer, head }) {
    const { left, top } = this.canvas.getBoundingClientRect();
    return { left: left + this.x(head), top: top + this.y(layer), step: this.step };
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
    this.step = stepOf(width, screen, layers, heads);
    this.canvas.style.width = `${Math.ceil(MARGIN.left + this.step * heads)}px`;
    const pixels = Math.round((this.step - GAP) * screenRatio());
    const drawn = JSON.stringify([scale, pixels]);
    if (this.thumbnails?.drawn !== drawn)
      this.thumbnails = { drawn, ...drawThumbnails(this.data, scale, pixels) };
    const context = sharp(
      this.canvas,
      parseFloat(this.canvas.style.width),
      MARGIN.top + this.step * layers,
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
    const middle = (this.step - GAP) / 2;
    context.fillStyle = this.ink;
    context.font = "11px sans-serif";
    context.textAlign = "center";
    for (let head = 0; head < heads; head++) {
      const heading = columns ? columns[head] : this.step < 24 ? String(head) : `H${head}`;
      context.fillText(heading, this.x(head) + middle, 12);
    }
    if (columns) return;
    context.textAlign = "right";
    for (let layer = 0; layer < layers; layer++)
      context.fillText(`L${layer}`, MARGIN.left - 6, this.y(layer) + middle + 4);
  }

  /**
   * @param {CanvasRenderingContext2D} context
   * @param {number} layer
   * @param {number} head
   */
  drawHead(context, layer, head) {
    const { canvas, side } = this.thumbnails;
    const shown = this.step - GAP;
    const [x, y] = [this.x(head), this.y(layer)];
    context.globalAlpha = 0.06;
    context.fillRect(x, y, shown, shown);
    context.globalAlpha = 1;
    context.drawImage(canvas, head * side, layer * side, side, side, x, y, shown, shown);
  }

  /**
   * @param {CanvasRenderingContext2D} context
   * @param {Place} place
   * @param {string} colour
   * @param {number} width of the line
   */
  outline(context, place, colour, width) {
    if (!this.has(place)) return;
    const edge = this.step - GAP + 2;
    context.strokeStyle = colour;
    context.lineWidth = width;
    context.strokeRect(this.x(place.head) - 1, this.y(place.layer) - 1, edge, edge);
  }

  /** @param {Place} place */
  has({ layer, head }) {
    return layer < this.data.layers && head < this.data.heads;
  }

  /** @param {number} head */
  x(head) {
    return MARGIN.left + head * this.step;
  }

  /** @param {number} layer */
  y(layer) {
    return MARGIN.top + layer * this.step;
  }
}

/**
 * @param {number} width of the room there is
 * @param {number} screen the window's height
 * @param {number} layers
 * @param {number} heads
 * @returns {number} from one thumbnail to the next: as wide as there is room, but so that all of
 *   them and what is read below them are on the screen together
 */
export function stepOf(width, screen, layers, heads) {
  const across = (width - MARGIN.left) / heads;
  const down = (Math.max(SHARE * screen, 200) - MARGIN.top) / layers;
  return Math.min(across, Math.max(down, LEAST));
}
