// One step of the browser's history for each thing done, in the order in which they were done.
//
// Streamlit takes a step when a page is entered, and one for every address that the server writes.
// The first address of a page belongs to the step that is there already: it is completed here.
//
// A step back while the server is still at work on what was done before it would be answered by an
// address that belongs to another step. Such a step waits for the answer, where the browser lets it.
// What was done is known here by its traces, and by what is sent: Streamlit says that the server is at
// work only when the server has said so, and on a slow line that takes its time.

import { mount } from "../common/mount.js";

// Streamlit's own, on the element around the app.
const STATE = "data-test-script-state";
const CONNECTION = "data-test-connection-state";
const ACTS = ["keydown", "pointerup", "change", "focusout"];
const ANSWER = 500; // milliseconds in which an act is sent, and in which Streamlit reads what it hears
const QUIET = 300; // milliseconds of silence after which no other run follows for the same act

const STREAM = "/_stcore/stream";
const ASK = (11 << 3) | 2; // the first byte of a message that asks for a run: its field, and its kind

/** @typedef {{ before: string, after: string }} Entry */
/** @typedef {{ page: string, entry: Entry | null }} HistoryData */

/** @implements {Drawing<HistoryData>} */
class History {
  /**
   * @param {HTMLElement} _root
   * @param {AbortSignal} signal
   */
  constructor(_root, signal) {
    /** @type {string | undefined} the last data, as JSON */
    this.known = undefined;
    this.going = false;
    this.waiting = 0;
    this.acted = -Infinity;
    this.unheard = false; // whether the server was told something, at rest, and has said nothing since
    this.heard = -Infinity; // when it has said something
    /** @type {string | null} */
    this.half = null; // of a step that was taken since the last act, on the same page: what it says
    const observer = new MutationObserver(() => this.look());
    observer.observe(document.body, { attributeFilter: [STATE, CONNECTION], subtree: true });
    signal.addEventListener("abort", () => observer.disconnect());
    onTalk(
      signal,
      () => (this.unheard ||= atRest()),
      () => this.hear(),
    );
    // Not "popstate": Streamlit would hear of it first.
    window.navigation?.addEventListener("navigate", (event) => this.step(event), { signal });
    for (const act of ACTS) {
      const note = () => {
        this.acted = performance.now();
        this.half = null;
      };
      window.addEventListener(act, note, { capture: true, signal });
    }
  }

  /** @param {Component<HistoryData>} component */
  receive({ data }) {
    const known = JSON.stringify(data);
    if (known === this.known) return;
    this.known = known;
    this.entered = data;
    this.complete();
  }

  // Streamlit may be about to write the page's path: then this comes again when it is at rest.
  complete() {
    if (!this.entered?.entry) return;
    const { page, entry } = this.entered;
    const { pathname, search, hash } = window.location;
    if (pathname.split("/").at(-1) !== page || !same(search, entry.before)) return;
    window.history.replaceState(window.history.state, "", `${pathname}?${entry.after}${hash}`);
    this.entered = null;
  }

  /** @param {NavigateEvent} event */
  step(event) {
    if (event.navigationType === "push") this.join(event);
    if (event.navigationType !== "traverse") return;
    const now = performance.now();
    const acted = this.unheard || now - this.acted < ANSWER || now - this.heard < QUIET;
    if (this.going || !event.cancelable || (atRest() && !acted)) {
      this.going = false;
      this.entered = null;
      this.acted = now; // a step is an act too: the next one waits for its answer
      return;
    }
    event.preventDefault();
    this.waiting += event.destination.index - currentIndex();
    if (atRest()) setTimeout(() => this.look(), ANSWER);
  }

  /**
   * Where the server leads to another page's view, Streamlit takes two steps: this view on the page
   * before, then the page. They are one.
   *
   * @param {NavigateEvent} event
   */
  join(event) {
    const { href, pathname, search } = new URL(event.destination.url);
    const here = pathname === window.location.pathname;
    if (!here && this.half === search && event.cancelable) {
      event.preventDefault();
      window.history.replaceState(window.history.state, "", href);
    }
    this.half = here ? search : null;
  }

  hear() {
    this.heard = performance.now();
    if (!this.unheard) return;
    this.unheard = false;
    this.acted = performance.now();
    setTimeout(() => this.look(), ANSWER);
  }

  look() {
    if (said(CONNECTION) !== "CONNECTED") this.unheard = false; // what was sent may be lost
    if (!atRest()) {
      this.acted = -Infinity; // it has been heard of
      this.unheard = false;
      return;
    }
    if (this.unheard) return; // this comes again
    this.complete();
    this.entered = null;
    this.going = false;
    if (!this.waiting) return;
    // What was done last may be yet to be sent; and a run be followed by another at once, as where
    // a callback asks for a part alone.
    const left = Math.max(this.acted + ANSWER, this.heard + QUIET) - performance.now();
    if (left > 0) {
      setTimeout(() => this.look(), left);
      return;
    }
    const steps = this.waiting;
    this.waiting = 0;
    this.going = true;
    goBy(steps);
  }
}

/** @returns {number} the place of the page in the browser's history */
function currentIndex() {
  const { currentEntry } = window.navigation;
  if (!currentEntry) throw new Error("no current history entry");
  return currentEntry.index;
}

/**
 * Take steps that were held back. `history.go` has Chromium do nothing, where it was a step forward
 * that was.
 *
 * @param {number} steps
 */
function goBy(steps) {
  const { navigation } = window;
  const to = navigation.entries()[currentIndex() + steps];
  if (!to) {
    window.history.go(steps); // to another site
    return;
  }
  const { committed, finished } = navigation.traverseTo(to.key);
  // Another step may take this one's place, and nobody waits for it.
  Promise.allSettled([committed, finished]);
}

function atRest() {
  return said(STATE) === "notRunning";
}

/** @param {string} attribute */
function said(attribute) {
  return document.querySelector(`[${attribute}]`)?.getAttribute(attribute);
}

/**
 * Learn when Streamlit asks its server for a run, and when the server says something.
 *
 * @param {AbortSignal} signal
 * @param {() => void} onAsked
 * @param {() => void} onHeard
 */
function onTalk(signal, onAsked, onHeard) {
  const { send } = WebSocket.prototype;
  /** @type {WeakSet<WebSocket>} */
  const known = new WeakSet();
  /** @this {WebSocket} */
  WebSocket.prototype.send = function (data) {
    if (
      !signal.aborted &&
      this.url.includes(STREAM) &&
      /** @type {Uint8Array} */ (data)[0] === ASK
    ) {
      if (!known.has(this)) this.addEventListener("message", onHeard, { signal });
      known.add(this);
      onAsked();
    }
    send.call(this, data);
  };
}

/**
 * Whether two query strings say the same, however they write it, and whatever is presented: the
 * browser adds that by itself.
 *
 * @param {string} one
 * @param {string} other
 */
function same(one, other) {
  const [ours, theirs] = [one, other].map((each) => new URLSearchParams(each));
  ours.delete("present");
  theirs.delete("present");
  return String(ours) === String(theirs);
}

/**
 * @param {Component<HistoryData>} component
 * @returns {() => void}
 */
export default function (component) {
  return mount(component, "span", History);
}
