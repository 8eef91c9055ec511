// Tells the server that the browser is back.
//
// After a restart of the server, or when a session has outlived its time, the browser connects to a
// session that knows nothing, and by itself says so only with the visitor's next act. This sends
// the page's state at once, so that the act finds its page drawn.

import { mount } from "../common/mount.js";

const STATE = "data-test-connection-state"; // Streamlit's own, on the element around the app

/** @implements {Drawing<null>} */
class Reconnect {
  /**
   * @param {HTMLElement} _root
   * @param {AbortSignal} signal
   */
  constructor(_root, signal) {
    this.was = state();
    const observer = new MutationObserver(() => this.look());
    observer.observe(document.body, { attributeFilter: [STATE], subtree: true });
    signal.addEventListener("abort", () => observer.disconnect());
  }

  /** @param {Component<null>} component */
  receive({ setTriggerValue }) {
    this.send = setTriggerValue;
  }

  look() {
    const now = state();
    if (now === this.was) return;
    this.was = now;
    if (now === "CONNECTED") this.send?.("back", Date.now());
  }
}

function state() {
  return document.querySelector(`[${STATE}]`)?.getAttribute(STATE);
}

/**
 * @param {Component<null>} component
 * @returns {() => void}
 */
export default function (component) {
  return mount(component, "span", Reconnect);
}
