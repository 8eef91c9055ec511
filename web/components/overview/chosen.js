// The selected head, or the hovered one, enlarged below all heads. It is drawn only on a projector with enough free
// height. It follows the arrow keys and the spotlight. Only a long sentence needs a request.

import { context2d } from "../common/canvas.js";
import { find, unset } from "../common/find.js";
import { laidOut } from "../common/stage.js";
import { drawEnlarged, fillList, layoutIn, linksOf, namesOf } from "./enlarged.js";

/** @import { Inks } from "./enlarged.js" */

const WORTH = 110; // layout pixels: it is hidden if it would be lower
const SPARE = 14; // layout pixels of the margins above and below
const TITLE = 30; // layout pixels of the title and the margins of the list of links
const MATRIX = 0.6; // share of the width for the matrix, if the links are beside it
const BOTH = 260; // layout pixels: a narrower box has no links
const TYPE = 18; // pixels of the smallest type on the screen
const LINE = 17; // pixels from link to link, as in overview.css

export class Chosen {
  /**
   * @param {HTMLElement} box
   * @param {AbortSignal} signal
   * @param {() => void} draw
   */
  constructor(box, signal, draw) {
    this.box = box;
    /** @type {{ width: number, height: number }} */
    this.room = unset();
    /** @type {string[]} */
    this.rows = [];
    /** @type {string | undefined} */
    this.lit = undefined;
    const light = (/** @type {CustomEvent<Spotlight>} */ { detail }) => {
      if (this.box.hidden || getComputedStyle(this.box).visibility !== "visible") return;
      if (!detail.names.length) detail.names.push(...this.rows);
      this.lit = detail.name;
      draw();
    };
    window.addEventListener("headlight-spotlight", light, { signal });
  }

  /**
   * Set the size of the box. Hide it if the height is too small.
   *
   * @param {number} width
   * @param {number} height below the overview
   * @returns {boolean} whether the box is visible
   */
  take(width, height) {
    this.room = { width, height: Math.floor(height) - SPARE };
    this.box.hidden = this.room.height < WORTH;
    this.box.style.height = `${this.room.height}px`;
    return this.visible;
  }

  get visible() {
    return !this.box.hidden;
  }

  /**
   * @param {OverviewHeader} data
   * @param {string} title
   * @param {Uint16Array | undefined} cells undefined until the response arrives
   * @param {Inks} inks
   * @param {Rgb} rgb
   */
  show(data, title, cells, inks, rgb) {
    find(this.box, ".title").textContent = title;
    const canvas = find(this.box, "canvas", HTMLCanvasElement);
    const list = find(this.box, "ol");
    const links = find(this.box, ".links");
    links.hidden = this.room.width < BOTH;
    canvas.hidden = list.hidden = !cells;
    if (!cells) return;
    /** @type {[string[], string[]]} */
    const names = [namesOf(data), namesOf(data.keys ?? data)];
    this.rows = names[0];
    const least = laidOut(TYPE);
    const context = context2d(canvas);
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
    const written = linksOf(...(lit < 0 ? all : rowOf(cells, names, lit)));
    fillList(list, written.slice(0, Math.floor((this.room.height - TITLE) / LINE)));
  }
}

/**
 * @param {Uint16Array} cells
 * @param {[string[], string[]]} names
 * @param {number} row
 * @returns {Parameters<typeof linksOf>} arguments for the links of that row
 */
function rowOf(cells, [queries, keys], row) {
  const own = cells.subarray(row * keys.length, (row + 1) * keys.length);
  return [own, [[queries[row]], keys], keys.length];
}
