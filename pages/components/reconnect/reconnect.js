// Tells the server that the browser is back.
//
// After a restart of the server, or when a session has outlived its time, the browser connects to a
// session that knows nothing, and by itself says so only with the visitor's next act. This sends
// the page's state at once, so that the act finds its page drawn.
//
// What is done in a part of the page that the session has yet to draw is dropped there without a
// word; therefore the state is sent once more when all is drawn, if anything was done meanwhile.

import { mount } from "../common/mount.js";

// Streamlit's own, on the element around the app.
const CONNECTION = "data-test-connection-state";
const SCRIPT = "data-test-script-state";
const ACTS = ["keydown", "pointerup", "change", "focusout"];

/** @implements {Drawing<null>} */
class Reconnect {
  /**
   * @param {HTMLElement} _root
   * @param {AbortSignal} signal
   */
  constructor(_root, signal) {
    this.connection = said(CONNECTION);
    this.script = said(SCRIPT);
    this.drawing = false;
    this.acted = false;
    const observer = new MutationObserver(() => this.look());
    observer.observe(document.body, { attributeFilter: [CONNECTION, SCRIPT], subtree: true });
    signal.addEventListener("abort", () => observer.disconnect());
    for (const act of ACTS)
      window.addEventListener(act, () => (this.acted = true), { capture: true, signal });
  }

  /** @param {Component<null>} component */
  receive({ setTriggerValue }) {
    this.send = setTriggerValue;
  }

  look() {
    const { connection, script } = this;
    this.connection = said(CONNECTION);
    this.script = said(SCRIPT);
    if (this.connection !== connection && this.connection === "CONNECTED") {
      this.drawing = true;
      this.acted = false;
      this.tell();
    } else if (this.drawing && this.script !== script && this.script === "notRunning") {
      this.drawing = false;
      if (this.acted) this.tell();
    }
  }

  tell() {
    this.send?.("back", Date.now());
  }
}

/** @param {string} attribute */
function said(attribute) {
  return document.querySelector(`[${attribute}]`)?.getAttribute(attribute);
}

/**
 * @param {Component<null>} component
 * @returns {() => void}
 */
export default function (component) {
  return mount(component, "span", Reconnect);
}
