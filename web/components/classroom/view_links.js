// Views as links: which part of an address all visitors share, and how to open a view without
// loading the page.

import { SCRIPT, appState } from "../../streamlit_patches/app_state.js";
import { rootPath } from "../common/navigation.js";

/** Query parameters of a visit; they are not part of the view. */
const VISIT = ["lang", "present", "room", "covered"];

const CLASSROOM = "/classroom";

/** @param {string} address a path with its query */
function parse(address) {
  return new URL(address, "http://headlight");
}

/** @param {string} address @param {string[]} names of query parameters */
function without(address, names) {
  const url = parse(address);
  for (const name of names) url.searchParams.delete(name);
  return url.pathname + url.search;
}

/** @param {string} address @returns {string} the address without the parameters of the visit */
export function viewOf(address) {
  return without(address, VISIT);
}

/** @returns {string} the view that this browser shows */
export function currentView() {
  return viewOf(window.location.pathname.slice(rootPath().length) + window.location.search);
}

/**
 * @param {string} view
 * @param {string} search the query string of this browser's address
 * @returns {string} the view's address with the parameters of this visit, except the room
 */
export function addressOf(view, search) {
  const url = parse(viewOf(view));
  for (const [name, value] of new URLSearchParams(search))
    if (VISIT.includes(name) && name !== "room") url.searchParams.set(name, value);
  return url.pathname + url.search;
}

/** @param {string} one @param {string} other @returns {boolean} whether both show the same view */
export function sameView(one, other) {
  return one === other || (one !== "" && other !== "" && normalized(one) === normalized(other));
}

/** @param {string} address */
function normalized(address) {
  const url = parse(viewOf(address));
  url.searchParams.sort();
  return `${url.pathname.replace(/\/$/, "")}?${url.searchParams}`;
}

/** @param {string} view @returns {string} the view while a question about it is being prepared */
export function covered(view) {
  return `${view}${view.includes("?") ? "&" : "?"}covered=1`;
}

/** @param {string | null} view of a room @returns {boolean} */
export function isCovered(view) {
  return view !== null && parse(view).searchParams.has("covered");
}

/** @param {string} view @returns {boolean} whether students can follow: not to the Classroom page */
export function isShareable(view) {
  return parse(view).pathname.replace(/\/$/, "") !== CLASSROOM;
}

/**
 * Open a view in this browser. Streamlit reruns after a step in the browser's history. If only the
 * step of a generated text changes, the browser draws it and no rerun is needed.
 *
 * @param {string} view
 * @param {string} [query] more parameters
 */
export function openView(view, query = "") {
  const before = currentView();
  const address = rootPath() + addressOf(view, window.location.search);
  const separator = address.includes("?") ? "&" : "?";
  window.headlightFollowing = true; // read by decoding/step_url.js
  window.history.pushState({}, "", query ? address + separator + query : address);
  window.headlightFollowing = false;
  if (!query && sameView(without(before, ["step"]), without(view, ["step"]))) return;
  window.dispatchEvent(new PopStateEvent("popstate", { state: window.history.state }));
}

/** Open the page of a room; a lesson stays open. @param {string} code */
export function openRoomPage(code) {
  const lesson = new URLSearchParams(window.location.search).get("lesson");
  openView(lesson ? `${CLASSROOM}?lesson=${lesson}` : CLASSROOM, `room=${code}`);
}

/**
 * For those who follow or publish views; see view_sync.js. It is idle after Streamlit's run, when
 * the page is drawn: before, its first address has no query string.
 */
export const browser = {
  currentView,
  isIdle: () =>
    appState(SCRIPT) === "notRunning" &&
    window.headlightDrawn === window.location.pathname.split("/").at(-1),
  open: openView,
};
