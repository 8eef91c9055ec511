// One object draws each component: Streamlit calls the script again, with the same elements,
// whenever the data changes.

import { Telling } from "./telling.js";

/**
 * @typedef {object} Mounted
 * @property {Drawing<any>} drawing
 * @property {Telling} telling
 * @property {AbortController} ended
 * @property {number} calls
 */

/** @type {WeakMap<Element, Mounted>} */
const mounted = new WeakMap();

/**
 * Hand what the server sent to the object that draws it; the first time, make that object.
 *
 * @template Data
 * @param {Component<Data>} component what Streamlit called the script with
 * @param {string} selector finds the component's root in its own html
 * @param {new (root: HTMLElement, signal: AbortSignal) => Drawing<Data>} Drawing the class; the
 *   signal says when the component has left the page
 * @returns {() => void} for Streamlit to call when the component leaves the page
 */
export function mount(component, selector, Drawing) {
  const root = /** @type {HTMLElement} */ (component.parentElement.querySelector(selector));
  if (!mounted.has(root)) {
    const ended = new AbortController();
    const telling = new Telling();
    const { signal } = ended;
    window.addEventListener("headlight-back", ({ detail }) => telling.goOn(detail), { signal });
    mounted.set(root, { drawing: new Drawing(root, signal), telling, ended, calls: 0 });
  }
  const entry = mounted.get(root);
  const setTriggerValue = entry.telling.through(component.setTriggerValue);
  entry.drawing.receive({ ...component, setTriggerValue });
  // Until then, page.css leaves room for what comes.
  if ("host" in component.parentElement)
    component.parentElement.host.toggleAttribute("data-drawn", true);
  const call = ++entry.calls;
  return () => {
    if (call !== entry.calls) return; // a call that a newer one overtook: the component goes on
    mounted.delete(root);
    entry.ended.abort();
  };
}
