// The shared view: the teacher's browser publishes its address, and the students' browsers open it.

import { isShareable, sameView } from "./view_links.js";

const SERVER_DELAY = 400; // milliseconds until a rerun is visible
const MAX_SENT = 10;
const MAX_WAIT = 2_000; // milliseconds that a view waits for the rerun of the previous one

/**
 * @typedef {{ currentView: () => string, isIdle: () => boolean }} Browser
 * @typedef {Browser & { open: (view: string) => void, now: () => number }} FollowingBrowser
 * @typedef {Browser & { send: (view: string) => Promise<{ status: number }> }} PublishingBrowser
 */

/**
 * Opens the teacher's newest view. During a rerun the next view waits: otherwise the server would
 * write the address of the previous view over it. It waits for MAX_WAIT at most, because some runs
 * take half a minute.
 */
export class ViewFollower {
  /** @param {FollowingBrowser} browser */
  constructor(browser) {
    this.browser = browser;
    this.version = -1;
    this.isFree = false;
    this.view = /** @type {string | undefined} */ (undefined);
    this.pending = /** @type {string | undefined} */ (undefined);
    this.openedAt = -Infinity;
    this.receivedAt = -Infinity;
  }

  /**
   * @param {string | null} view of the teacher
   * @param {number} version counts the teacher's views; an older one is ignored
   */
  receive(view, version) {
    if (view === null || version < this.version) return;
    if (version > this.version) {
      this.pending = view;
      this.receivedAt = this.browser.now();
    }
    this.version = version;
    this.view = view;
  }

  /** Return to the teacher's view after free work. @param {boolean} isFree while no view waits */
  free(isFree) {
    if (isFree) this.pending = undefined;
    else if (this.isFree) [this.pending, this.receivedAt] = [this.view, -Infinity];
    this.isFree = isFree;
  }

  /** Open the view that waits; call it several times a second. */
  poll() {
    const { isIdle, now } = this.browser;
    const settled = isIdle() && now() - this.openedAt > SERVER_DELAY;
    const overdue = now() - Math.max(this.receivedAt, this.openedAt) > MAX_WAIT;
    if (this.pending !== undefined && (settled || overdue)) this.open(this.pending);
  }

  /** @param {string} view */
  open(view) {
    this.pending = undefined;
    if (sameView(view, this.browser.currentView())) return;
    this.openedAt = this.browser.now();
    this.browser.open(view);
  }
}

/** Publishes the teacher's view once the address no longer changes. */
export class ViewPublisher {
  /** @param {PublishingBrowser} browser */
  constructor(browser) {
    this.browser = browser;
    this.published = /** @type {string | undefined} */ (undefined);
    this.previous = "";
    this.sending = false;
    /** The newest views that this browser has sent, the newest first. */
    this.sent = /** @type {string[]} */ ([]);
  }

  /**
   * @param {string | null} view of the room
   * @returns {boolean} whether this browser shows it or has sent it; otherwise another device did
   */
  receive(view) {
    const first = this.published === undefined;
    this.published ??= view ?? "";
    if (first || view === null || this.sending) return true;
    const place = this.sent.findIndex((each) => sameView(each, view));
    const own = place >= 0 || sameView(this.browser.currentView(), view);
    // A view from before this one comes back only if another device has chosen it.
    if (place >= 0 || !own) this.sent = this.sent.slice(0, place + 1);
    if (!own) this.published = view;
    return own;
  }

  /** Publish a changed view; call it several times a second. */
  async poll() {
    const view = this.browser.currentView();
    const stable = view === this.previous;
    this.previous = view;
    if (stable && (view.includes("?") || this.browser.isIdle())) await this.publish(view);
  }

  /** @param {string} view */
  async publish(view) {
    if (this.sending || this.published === undefined || !isShareable(view)) return;
    if (this.published && sameView(view, this.published)) return;
    this.sending = true;
    this.sent = [view, ...this.sent].slice(0, MAX_SENT);
    const { status } = await this.browser.send(view);
    this.sending = false;
    // A view that the server refused is not sent again.
    if (status !== 0 && status !== 429 && status < 500) this.published = view;
  }
}
