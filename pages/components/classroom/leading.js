// Leading: the teacher's browser tells its address whenever that has come to rest, the steps that it
// makes alone among them.

import { canBeShown, sameView } from "./places.js";

/**
 * @typedef {object} Watched
 * @property {() => string} here the view in the bar
 * @property {() => boolean} atRest
 * @property {(view: string) => Promise<{ status: number }>} tell
 */

export class Leader {
  /** @param {Watched} browser */
  constructor(browser) {
    this.browser = browser;
    this.told = /** @type {string | undefined} */ (undefined);
    this.seen = "";
  }

  /**
   * What the room shows; it counts until this browser has told something.
   *
   * @param {string | null} view
   */
  hear(view) {
    this.told ??= view ?? "";
  }

  /** To be called some times a second: no more is told. */
  async look() {
    const { here, atRest } = this.browser;
    const view = here();
    const still = view === this.seen;
    this.seen = view;
    // A page that is being entered has no query yet: what it shows is said a moment later.
    if (!still || !(view.includes("?") || atRest())) return;
    await this.tell(view);
  }

  /** @param {string} view */
  async tell(view) {
    if (this.telling || this.told === undefined || !canBeShown(view)) return;
    if (this.told && sameView(view, this.told)) return;
    this.telling = true;
    const { status } = await this.browser.tell(view);
    this.telling = false;
    // What was refused would be refused again; what did not arrive is told once more.
    if (status !== 0 && status !== 429 && status < 500) this.told = view;
  }
}
