// Keeps the browser's history in the order of the user's actions, with one entry for each action.
//
// Streamlit adds an entry when a page is entered, and one for each query string that the server
// writes. This component writes the first one of a page into the entry that exists already.
//
// The user may go back while the server still works on an earlier action, whose response would then
// write its query string into another entry. Such a traversal waits for the response, if the browser
// allows it. DOM events and outgoing messages show that an action was made: Streamlit shows a run
// only after the server has reported it.
//
// A page can prevent only one traversal for each user activation. After the next one, Streamlit may
// replace the query string of the current entry by that of an older response. This component prevents
// it until all responses have arrived.

import { CONNECTION, SCRIPT, appState } from "../../streamlit_patches/app_state.js";
import { observeMessages } from "../../streamlit_patches/run_requests.js";
import { mount } from "../common/mount.js";

const ACTION_EVENTS = ["keydown", "pointerup", "change", "focusout"];
const SEND_TIME = 500; // milliseconds until an action is sent, or until Streamlit has read a message
const QUIET_TIME = 300; // milliseconds without a message after which no other run follows

/** @typedef {{ before: string, after: string }} Entry a query string, and its replacement */
/** @typedef {{ page: string, entry: Entry | null }} HistoryData */

class History {
  /** @param {HTMLElement} _root @param {AbortSignal} signal */
  constructor(_root, signal) {
    this.payload = ""; // the last one, as JSON
    this.traversing = false; // whether a deferred traversal is being made
    this.deferred = 0; // entries to traverse later; negative to go back
    this.overtaken = false; // whether a response in flight may belong to another entry
    this.replacing = false; // whether this component writes the URL
    this.lastAction = -Infinity; // time of the last action that may not have been sent yet
    this.unanswered = false; // whether a request was sent at idle and no message has followed
    this.lastMessage = -Infinity; // time of the last message from the server
    /** @type {string | null} the query string of an entry added to this page since the last action */
    this.pushed = null;
    const observer = new MutationObserver(() => this.update());
    observer.observe(document.body, { attributeFilter: [SCRIPT, CONNECTION], subtree: true });
    signal.addEventListener("abort", () => observer.disconnect());
    observeMessages(
      signal,
      () => (this.unanswered ||= isIdle()),
      () => this.onMessage(),
    );
    // Streamlit handles "popstate" first; "navigate" comes earlier.
    window.navigation?.addEventListener("navigate", (event) => this.onNavigate(event), { signal });
    const onAction = () => {
      this.lastAction = performance.now();
      this.pushed = null;
      this.overtaken = false; // the response to this action has an entry of its own
    };
    for (const name of ACTION_EVENTS)
      window.addEventListener(name, onAction, { capture: true, signal });
  }

  /** @param {Component<HistoryData>} component */
  receive({ data }) {
    const payload = JSON.stringify(data);
    if (payload === this.payload) return;
    this.payload = payload;
    this.entered = data;
    this.completeEntry();
    window.headlightDrawn = data.page; // read by classroom/view_links.js
  }

  /** Streamlit may write the path of the page later; then `update` calls this again. */
  completeEntry() {
    if (!this.entered?.entry) return;
    const { page, entry } = this.entered;
    const { pathname, search, hash } = window.location;
    if (pathname.split("/").at(-1) !== page || !isSameQuery(search, entry.before)) return;
    this.replaceEntry(`${pathname}?${entry.after}${hash}`);
    this.entered = null;
  }

  /** @param {string} address */
  replaceEntry(address) {
    this.replacing = true;
    window.history.replaceState(window.history.state, "", address);
    this.replacing = false;
  }

  /** @param {NavigateEvent} event */
  onNavigate(event) {
    if (event.navigationType === "push") this.mergeEntries(event);
    if (event.navigationType === "replace" && this.overtaken && !this.replacing)
      event.preventDefault();
    if (event.navigationType !== "traverse") return;
    const now = performance.now();
    const busy =
      !isIdle() ||
      this.unanswered ||
      now - this.lastAction < SEND_TIME ||
      now - this.lastMessage < QUIET_TIME;
    if (this.traversing || !event.cancelable || !busy) {
      this.overtaken = busy;
      this.traversing = false;
      this.entered = null;
      this.lastAction = now; // the next traversal waits for the response to this one
      return;
    }
    event.preventDefault();
    this.deferred += event.destination.index - currentIndex();
    if (isIdle()) setTimeout(() => this.update(), SEND_TIME);
  }

  // A view of another page adds two entries: its query string on the old page, then the new page.
  /** @param {NavigateEvent} event */
  mergeEntries(event) {
    const { href, pathname, search } = new URL(event.destination.url);
    const samePage = pathname === window.location.pathname;
    if (!samePage && this.pushed === search && event.cancelable) {
      event.preventDefault();
      this.replaceEntry(href);
    }
    this.pushed = samePage ? search : null;
  }

  onMessage() {
    this.lastMessage = performance.now();
    if (!this.unanswered) return;
    this.unanswered = false;
    this.lastAction = performance.now();
    setTimeout(() => this.update(), SEND_TIME);
  }

  update() {
    if (appState(CONNECTION) !== "CONNECTED") this.unanswered = false; // the request may be lost
    if (!isIdle()) {
      this.lastAction = -Infinity; // the server has received the action
      this.unanswered = false;
      return;
    }
    if (this.unanswered) return; // `onMessage` calls this again
    this.completeEntry();
    this.entered = null;
    this.traversing = false;
    if (!this.deferred && !this.overtaken) return;
    // The last action may not have been sent yet; and another run may follow immediately, for
    // example if a callback requests a rerun of a fragment.
    const left =
      Math.max(this.lastAction + SEND_TIME, this.lastMessage + QUIET_TIME) - performance.now();
    if (left > 0) {
      setTimeout(() => this.update(), left);
      return;
    }
    this.overtaken = false;
    if (!this.deferred) return;
    const { deferred } = this;
    this.deferred = 0;
    this.traversing = true;
    traverseBy(deferred);
  }
}

/** The index of the current entry in the browser's history. */
const currentIndex = () =>
  /** @type {NavigationHistoryEntry} */ (window.navigation.currentEntry).index;

// `history.go` is not enough: Chromium ignores it after a forward traversal was prevented.
/** @param {number} delta number of entries; negative to go back */
function traverseBy(delta) {
  const { navigation } = window;
  const to = navigation.entries()[currentIndex() + delta];
  if (!to) {
    window.history.go(delta); // an entry of another site
    return;
  }
  const { committed, finished } = navigation.traverseTo(to.key);
  // They are rejected if another traversal replaces this one.
  Promise.allSettled([committed, finished]);
}

function isIdle() {
  return appState(SCRIPT) === "notRunning";
}

/** In any encoding, and presented or not. @param {string} one @param {string} other */
function isSameQuery(one, other) {
  const [first, second] = [one, other].map((each) => new URLSearchParams(each));
  first.delete("present");
  second.delete("present");
  return String(first) === String(second);
}

export default mount("span", History);
