// A bar below the page while the connection is down; the page stays visible.
//
// Streamlit shows a dialog that covers the page and captures the keyboard. It opens one dialog for
// each lost connection, so closing it before the browser paints it is enough.

import { STREAMLIT } from "../../streamlit_patches/elements.js";

const INTERVAL = 1_000; // milliseconds until the bar appears, and between updates of its time
const ANNOUNCEMENT = 5_000; // milliseconds for a screen reader to read the announcement
const TITLE = /^Connection error/; // Streamlit has it in English only

/** @typedef {Record<"line" | "trying" | "ended" | "reload" | "back", string>} Words */

export class Away {
  /** @param {HTMLElement} root @param {AbortSignal} signal */
  constructor(root, signal) {
    this.bar = /** @type {HTMLElement} */ (root.querySelector(".bar"));
    this.status = /** @type {HTMLElement} */ (root.querySelector(".status"));
    this.words = /** @type {Words} */ ({}); // until the first payload
    this.observer = new MutationObserver(() => this.closeDialog());
    signal.addEventListener("abort", () => this.end());
  }

  /** @param {string | null | undefined} connection Streamlit's name of the state */
  update(connection) {
    const away = connection !== "CONNECTED";
    this.ended = connection === "DISCONNECTED_FOREVER";
    if (away && this.since === undefined) this.begin();
    else if (!away && this.since !== undefined) this.end();
    if (away && this.bar.matches(":popover-open")) this.write();
  }

  begin() {
    this.since = Date.now();
    this.observer.observe(document.body, { childList: true });
    this.timer = setInterval(() => this.write(), INTERVAL);
  }

  /** Show the bar, with the time. A screen reader announces the text once, not every second. */
  write() {
    document.documentElement.dataset.away = "";
    if (!this.bar.matches(":popover-open")) this.bar.showPopover();
    const { line, trying, ended, reload } = this.words;
    const seconds = Math.round((Date.now() - (this.since ?? Date.now())) / 1000);
    const time = seconds < 100 ? `${seconds} s` : `${Math.round(seconds / 60)} min`;
    const text = this.ended ? `${ended} ${reload}` : `${line.replace("{time}", time)} ${trying}`;
    this.bar.textContent = text;
    if (this.ended || !this.status.textContent) this.announce(text);
  }

  /** Hide the bar: the connection is up again, or the component leaves the page. */
  end() {
    this.shown = this.bar.matches(":popover-open");
    this.since = undefined;
    this.observer.disconnect();
    clearInterval(this.timer);
    delete document.documentElement.dataset.away;
    if (this.shown) this.bar.hidePopover();
    this.announce("");
  }

  /** The page can be used again. */
  announceReconnect() {
    if (!this.shown) return;
    this.shown = false;
    this.announce(this.words.back);
    this.announcement = setTimeout(() => this.announce(""), ANNOUNCEMENT);
  }

  /** @param {string} text for screen readers */
  announce(text) {
    clearTimeout(this.announcement);
    if (this.status.textContent !== text) this.status.textContent = text;
  }

  closeDialog() {
    for (const dialog of document.querySelectorAll(STREAMLIT.dialog)) {
      if (!TITLE.test(dialog.textContent?.trim() ?? "")) continue;
      /** @type {HTMLElement} */ (dialog).style.display = "none";
      /** @type {HTMLElement | null} */ (dialog.querySelector("button"))?.click();
    }
  }
}
