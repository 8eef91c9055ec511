// Addresses in the browser's bar: how one is told to others, and how one goes to another's without
// loading the page anew.

/** What an address says of the visit and not of the view: everybody has their own. */
const VISIT = ["lang", "present", "lesson", "room"];

/** The room's own page is nobody's view. */
const DESK = "/classroom";

/**
 * @param {string} address a path with its query
 * @returns {string} the view alone
 */
export function viewOf(address) {
  const url = new URL(address, "http://headlight");
  for (const name of VISIT) url.searchParams.delete(name);
  return url.pathname + url.search;
}

/**
 * @param {string} view
 * @param {string} search the query of the address in the bar
 * @returns {string} the view's address on one's own visit
 */
export function ownAddress(view, search) {
  const url = new URL(viewOf(view), "http://headlight");
  const own = new URLSearchParams(search);
  for (const name of VISIT) {
    // The room is in the address of its page alone.
    if (own.has(name) && name !== "room") url.searchParams.set(name, own.get(name));
  }
  return url.pathname + url.search;
}

/**
 * @param {string} one
 * @param {string} other
 * @returns {boolean} whether two addresses show the same
 */
export function sameView(one, other) {
  return (
    one === other || (one !== "" && other !== "" && sorted(viewOf(one)) === sorted(viewOf(other)))
  );
}

/**
 * @param {string} view
 * @returns {boolean} whether others can be led there
 */
export function canBeShown(view) {
  return view.split("?")[0].replace(/\/$/, "") !== DESK;
}

/** @returns {string} the view that this browser shows */
export function viewHere() {
  return viewOf(window.location.pathname + window.location.search);
}

/**
 * Go to a view: Streamlit answers a step through the history, pages and queries alike. A step of a
 * text that the browser alone moves to needs no server.
 *
 * @param {string} view a path of this site
 * @param {string} [more] what the address says besides
 */
export function goTo(view, more = "") {
  const before = viewHere();
  const address = ownAddress(view, window.location.search);
  const joint = address.includes("?") ? "&" : "?";
  window.headlightFollowing = true; // a part that writes the address itself is to read it: place.js
  window.history.pushState({}, "", more ? address + joint + more : address);
  window.headlightFollowing = false;
  if (!more && sameView(withoutStep(before), withoutStep(view))) return;
  window.dispatchEvent(new PopStateEvent("popstate", { state: window.history.state }));
}

/** @param {string} view */
function withoutStep(view) {
  const url = new URL(view, "http://headlight");
  url.searchParams.delete("step");
  return url.pathname + url.search;
}

/** @param {string} view */
function sorted(view) {
  const url = new URL(view, "http://headlight");
  url.searchParams.sort();
  return `${url.pathname.replace(/\/$/, "")}?${url.searchParams}`;
}

/** @returns {boolean} whether the page is drawn, as far as Streamlit says so */
export function pageAtRest() {
  const state = "data-test-script-state";
  return document.querySelector(`[${state}]`)?.getAttribute(state) === "notRunning";
}
