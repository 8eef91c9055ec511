// What is said while the server is away: a bar below the page, which stays as it was.
//
// Streamlit itself says so in a dialog that covers the page and keeps the keyboard. It opens one for
// each line that is lost and, once closed, no other: so it is closed before it is painted.

const GRACE = 1000; // milliseconds that a line may be away before anything is said
const BACK = 5000; // milliseconds that a reader may take to say that it is there again
const DIALOG = '[data-testid="stDialog"]';
const TITLE = /^Connection error/; // Streamlit's own, in no other language

/** @typedef {Record<"line" | "trying" | "ended" | "reload" | "back", string>} Words */

export class Away {
  /**
   * @param {HTMLElement} root
   * @param {AbortSignal} signal
   */
  constructor(root, signal) {
    this.bar = /** @type {HTMLElement} */ (root.querySelector(".bar"));
    this.told = /** @type {HTMLElement} */ (root.querySelector(".told"));
    this.words = /** @type {Words} */ ({}); // until they are received
    this.observer = new MutationObserver(() => this.closeDialog());
    signal.addEventListener("abort", () => this.end());
  }

  /** @param {string | null | undefined} connection as Streamlit names it */
  is(connection) {
    const away = connection !== "CONNECTED";
    this.ended = connection === "DISCONNECTED_FOREVER";
    if (away && this.since === undefined) this.begin();
    else if (!away && this.since !== undefined) this.end();
    if (away && this.bar.matches(":popover-open")) this.say();
  }

  begin() {
    this.since = Date.now();
    this.observer.observe(document.body, { childList: true });
    this.timer = setTimeout(() => this.show(), GRACE);
  }

  show() {
    document.documentElement.dataset.away = "";
    this.bar.showPopover();
    this.say();
    this.timer = setInterval(() => this.say(), 1000);
  }

  /** Those who see read how long it has been; those who listen are told once. */
  say() {
    const { line, trying, ended, reload } = this.words;
    const seconds = Math.round((Date.now() - (this.since ?? Date.now())) / 1000);
    const time = seconds < 100 ? `${seconds} s` : `${Math.round(seconds / 60)} min`;
    const said = this.ended ? `${ended} ${reload}` : `${line.replace("{time}", time)} ${trying}`;
    this.bar.textContent = said;
    if (this.ended || !this.told.textContent) this.tell(said);
  }

  /** The line is there again, or the page is left. */
  end() {
    this.missed = this.bar.matches(":popover-open");
    this.since = undefined;
    this.observer.disconnect();
    clearTimeout(this.timer); // of an interval too
    delete document.documentElement.dataset.away;
    if (this.missed) this.bar.hidePopover();
    this.tell("");
  }

  /** The page can be used again. */
  back() {
    if (!this.missed) return;
    this.missed = false;
    this.tell(this.words.back);
    this.quiet = setTimeout(() => this.tell(""), BACK);
  }

  /** @param {string} text */
  tell(text) {
    clearTimeout(this.quiet);
    if (this.told.textContent !== text) this.told.textContent = text;
  }

  closeDialog() {
    for (const dialog of document.querySelectorAll(DIALOG)) {
      if (!TITLE.test(dialog.textContent?.trim() ?? "")) continue;
      /** @type {HTMLElement} */ (dialog).style.display = "none";
      /** @type {HTMLElement | null} */ (dialog.querySelector("button"))?.click();
    }
  }
}
