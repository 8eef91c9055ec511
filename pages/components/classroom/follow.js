// Following: a student's browser goes where the teacher's is, and the newest place wins.
//
// While the server draws one view, the address of the next waits: what the server then writes into
// the bar would otherwise stand behind the wrong view. Not for ever, since a text may be written
// for half a minute.

import { sameView } from "./places.js";

const ANSWER = 400; // milliseconds in which the server has begun to draw
const PATIENCE = 2_000; // milliseconds that a view waits for another one's drawing at most

/**
 * @typedef {object} Browser
 * @property {() => string} here the view in the bar
 * @property {(view: string) => void} go
 * @property {() => boolean} atRest
 * @property {() => number} now milliseconds
 */

export class Follower {
  /** @param {Browser} browser */
  constructor(browser) {
    this.browser = browser;
    this.change = -1;
    this.wished = /** @type {string | null} */ (null);
    this.accepted = this.strange = "";
    this.went = -Infinity;
    this.wishedAt = -Infinity;
  }

  /**
   * The teacher's view; one that is older than what is known came late.
   *
   * @param {string | null} view
   * @param {number} change counts the teacher's views
   */
  hear(view, change) {
    if (view === null || change < this.change) return;
    if (change !== this.change) {
      this.wished = view;
      this.wishedAt = this.browser.now();
      this.accepted = this.strange = "";
    }
    this.change = change;
    this.view = view;
  }

  /** Go back to where the teacher is, wherever one went alone. */
  rejoin() {
    this.wished = this.view ?? null;
    this.wishedAt = -Infinity;
  }

  /** Nothing that is waiting is gone to any more. */
  part() {
    this.wished = null;
  }

  /**
   * To be called again and again.
   *
   * @param {boolean} locked whether one has to stay where the teacher is
   */
  look(locked) {
    const { atRest, now, here } = this.browser;
    const settled = atRest() && now() - this.went > ANSWER;
    if (this.wished !== null) {
      if (settled || now() - Math.max(this.wishedAt, this.went) > PATIENCE) this.goOn();
      return;
    }
    if (locked && settled && this.view !== undefined) this.stay(here());
  }

  /**
   * The page may write an address of its own for a view: what it comes to twice is the view.
   *
   * @param {string} here
   */
  stay(here) {
    if (sameView(here, this.view) || sameView(here, this.accepted)) this.strange = "";
    else if (sameView(here, this.strange)) this.accepted = here;
    else {
      this.strange = here;
      this.wished = this.view;
      this.goOn();
    }
  }

  goOn() {
    const view = this.wished;
    this.wished = null;
    if (sameView(view, this.browser.here())) return;
    this.went = this.browser.now();
    this.browser.go(view);
  }
}
