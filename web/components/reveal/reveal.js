// Scrolls a table of Streamlit to its marked row, which may be below those in view. This component
// draws nothing.

import { mount } from "../common/mount.js";
import { Part } from "../common/part.js";

const MAX_FRAMES = 1200; // wait for the table at most that long

/**
 * @typedef {object} RevealData
 * @property {string} table key of the table
 * @property {number} row the marked row
 * @property {number} rows how many the table has
 * @property {number} height of a row and of the header, in pixels
 */

/** @typedef {{ scrollTop: number, clientHeight: number }} Scroller */

/** @extends {Part<RevealData>} */
class Reveal extends Part {
  /** @param {Component<RevealData>} component */
  receive({ data }) {
    this.data = data;
    this.scroll(MAX_FRAMES);
  }

  /** Scroll as soon as the table has all its rows. @param {number} frames left to wait */
  scroll(frames) {
    const { table, rows, height } = this.data;
    const grid = document.querySelector(`.st-key-${table} .dvn-scroller`);
    if (grid && grid.scrollHeight >= height * (rows + 1))
      grid.scrollTop = scrolled(grid, this.data);
    else if (frames && !this.signal.aborted) requestAnimationFrame(() => this.scroll(frames - 1));
  }
}

/** @type {(grid: Scroller, place: Pick<RevealData, "row" | "height">) => number} */
export function scrolled({ scrollTop, clientHeight }, { row, height }) {
  const room = clientHeight - height; // below the header
  const top = row * height;
  if (top >= scrollTop && top + height <= scrollTop + room) return scrollTop;
  return Math.max(0, (row - Math.floor(room / height / 2)) * height);
}

export default mount("span", Reveal);
