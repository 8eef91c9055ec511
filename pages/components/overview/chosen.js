// Below all heads, the chosen one: on a projector, whose height they leave free. What it shows is here
// already; it follows the arrow keys at once, and the spotlight.

import { laidOut } from "../common/stage.js";
import { drawEnlarged, fillList, layoutIn, linksOf, namesOf } from "./enlarged.js";

/** @import { Inks } from "./enlarged.js" */

const WORTH = 110; // pixels, as laid out: in less there is nothing to see
const SPARE = 14; // of the space above, and at the end
const TITLE = 30; // its line above the links, and their margins
const MATRIX = 0.6; // of the width at most: the links stand beside it...
const BOTH = 260; // pixels, as laid out: ...where that leaves room for them
const TYPE = 18; // pixels on the screen, of the smallest type
const LINE = 17; // pixels from link to link, as in overview.css

export class Chosen {
  /**
   * @param {HTMLElement} box
   * @param {AbortSignal} signal
   * @param {() => void} draw
   */
  constructor(box, signal, draw) {
    this.box = box;
    /** @type {string[]} */
    this.rows = [];
    /** @type {string | undefined} */
    this.lit = undefined;
    const light = ({ detail }) => {
      if (this.box.hidden || getComputedStyle(this.box).visibility !== "visible") return;
      if (!detail.names.length) detail.names.push(...this.rows);
      this.lit = detail.name;
      draw();
    };
    window.addEventListener("headlight-spotlight", light, { signal });
  }

  /**
   * Take the room that there is, if that is worth it.
   *
   * @param {number} width
   * @param {number} height that all heads leave
   * @returns {boolean} whether it is to be drawn
   */
  take(width, height) {
    this.room = { width, height: Math.floor(height) - SPARE };
    this.box.hidden = this.room.height < WORTH;
    this.box.style.height = `${this.room.height}px`;
    return !this.box.hidden;
  }

  /**
   * @param {OverviewHeader} data
   * @param {string} title
   * @param {Uint16Array | undefined} cells nothing, while they are asked for
   * @param {Inks} inks
   * @param {Rgb} rgb
   */
  show(data, title, cells, inks, rgb) {
    this.box.querySelector(".title").textContent = title;
    const canvas = this.box.querySelector("canvas");
    const list = this.box.querySelector("ol");
    const links = /** @type {HTMLElement} */ (this.box.querySelector(".links"));
    links.hidden = this.room.width < BOTH;
    canvas.hidden = list.hidden = !cells;
    if (!cells) return;
    /** @type {[string[], string[]]} */
    const names = [namesOf(data), namesOf(data.keys ?? data)];
    this.rows = names[0];
    const least = laidOut(TYPE);
    const context = canvas.getContext("2d");
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.font = `${least}px sans-serif`;
    const layout = layoutIn(
      names,
      { width: this.room.width * (links.hidden ? 1 : MATRIX), height: this.room.height },
      least,
      (text) => context.measureText(text).width,
    );
    const lit = this.lit === undefined ? -1 : this.rows.indexOf(this.lit);
    drawEnlarged(canvas, { cells, names, rgb }, inks, layout, lit);
    /** @type {Parameters<typeof linksOf>} */
    const all = [cells, names, cells.length];
    const told = linksOf(...(lit < 0 ? all : rowOf(cells, names, lit)));
    fillList(list, told.slice(0, Math.floor((this.room.height - TITLE) / LINE)));
  }
}

/**
 * @param {Uint16Array} cells
 * @param {[string[], string[]]} names
 * @param {number} row
 * @returns {Parameters<typeof linksOf>} of that row alone
 */
function rowOf(cells, [queries, keys], row) {
  const own = cells.subarray(row * keys.length, (row + 1) * keys.length);
  return [own, [[queries[row]], keys], keys.length];
}
