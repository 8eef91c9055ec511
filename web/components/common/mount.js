// One object for each mounted component. Streamlit calls the script again, with the same elements,
// whenever the data changes.

import { Outbox } from "./outbox.js";

/** @typedef {{ drawing: Drawing<any>, outbox: Outbox, ended: AbortController, calls: number }} Mounted */

const mounted = /** @type {WeakMap<Element, Mounted>} */ (new WeakMap());

/**
 * Make a component's script: it passes the data to the object that draws it, made by the first call.
 *
 * @template Data
 * @param {string} selector of the component's root in its HTML
 * @param {new (...made: Made) => Drawing<Data>} Drawing the class
 * @returns {(component: Component<Data>) => () => void} returns the cleanup, which Streamlit calls
 *   when the component leaves the page
 */
export function mount(selector, Drawing) {
  return (component) => {
    const root = /** @type {HTMLElement} */ (component.parentElement.querySelector(selector));
    let entry = mounted.get(root);
    if (!entry) {
      window.addEventListener("keydown", keepConversion, { capture: true }); // added once
      const ended = new AbortController();
      const outbox = new Outbox();
      const { signal } = ended;
      const flush = (/** @type {CustomEvent<RunEnd>} */ { detail }) => outbox.flush(detail);
      window.addEventListener("headlight-run-end", flush, { signal });
      entry = { drawing: new Drawing(root, signal, outbox), outbox, ended, calls: 0 };
      mounted.set(root, entry);
    }
    const { outbox } = entry;
    outbox.transmit = component.setTriggerValue;
    // A dictionary comes in a list; see components/__init__.py.
    const data = Array.isArray(component.data) ? component.data[0] : component.data;
    entry.drawing.receive({ ...component, data, setTriggerValue: outbox.send.bind(outbox) });
    // page.css reserves space until the component is drawn.
    if ("host" in component.parentElement)
      component.parentElement.host.toggleAttribute("data-drawn", true);
    const call = ++entry.calls;
    return () => {
      if (call !== entry.calls) return; // a newer call has replaced this one
      mounted.delete(root);
      outbox.messages.clear(); // nothing of a component that is gone is sent again
      entry.ended.abort();
    };
  };
}

/** Keep a key that converts Chinese or Japanese input from all. @param {KeyboardEvent} event */
function keepConversion(event) {
  // Safari reports the last key after the end of the conversion, with this code.
  if (event.isComposing || event.keyCode === 229) event.stopImmediatePropagation();
}
