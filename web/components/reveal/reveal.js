// Scrolls a table of Streamlit to its marked row, which may be below those in view. This component
// draws nothing.

import { mount } from "../common/mount.js";

const MAX_FRAMES = 1200; // wait for the table at most that long

/**
 * @typedef {object} RevealData
 * @property {string} table key of the table
 * @property {number} row the marked row
 * @property {number} rows how many the table has
 * @property {number} height of a row and of the header, in pixels
 */

/** @typedef {{ scrollTop: number, clientHeight: number }} Scroller */

class Reveal {
  /** @param {HTMLElement} _root @param {AbortSignal} signal */
  constructor(_root, signal) {
    this.signal = signal;
    this.calls = 0;
  }

  /** @param {Component<RevealData>} component */
  receive({ data }) {
    this.calls += 1;
    this.scroll(data, this.calls, MAX_FRAMES);
  }

  /**
   * Scroll as soon as the table has all its rows; it is drawn later than this component.
   *
   * @param {RevealData} data
   * @param {number} call a newer call replaces it
   * @param {number} frames left to wait
   */
  scroll(data, call, frames) {
    if (this.signal.aborted || call !== this.calls || !frames) return;
    const grid = document.querySelector(`.st-key-${data.table} .dvn-scroller`);
    if (!grid || grid.scrollHeight < data.height * (data.rows + 1)) {
      requestAnimationFrame(() => this.scroll(data, call, frames - 1));
      return;
    }
    grid.scrollTop = scrolled(grid, data);
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
