// Tells the server that the browser is back.
//
// After a restart of the server, or when a session has outlived its time, the browser connects to a
// session that knows nothing, and by itself says so only with the visitor's next act. This sends
// the page's state at once, so that the act finds its page drawn.
//
// Until then nothing can be done: what is done in a part that the session has yet to draw would be
// dropped without a word, and the box in which it was done be drawn as it was before. Then the other
// components tell what was done in them while the server was away: see telling.js.

import { mount } from "../common/mount.js";
import { tellAll } from "../common/telling.js";
import { Away } from "./away.js";

// Streamlit's own, on the element around the app.
const CONNECTION = "data-test-connection-state";
const SCRIPT = "data-test-script-state";
const PATIENCE = 5_000; // milliseconds in which a server that is there begins to draw

/** @typedef {import("./away.js").Words} Words */

/** @implements {Drawing<Words>} */
class Reconnect {
  /**
   * @param {HTMLElement} root
   * @param {AbortSignal} signal
   */
  constructor(root, signal) {
    this.away = new Away(root, signal);
    this.connection = said(CONNECTION);
    this.script = said(SCRIPT);
    this.again = false;
    this.began = performance.now();
    const observer = new MutationObserver(() => this.look());
    observer.observe(document.body, { attributeFilter: [CONNECTION, SCRIPT], subtree: true });
    signal.addEventListener("abort", () => {
      observer.disconnect();
      this.release();
    });
  }

  /** @param {Component<Words>} component */
  receive({ data, setTriggerValue }) {
    this.away.words = data;
    this.send = setTriggerValue;
  }

  look() {
    const { connection, script } = this;
    this.connection = said(CONNECTION);
    this.script = said(SCRIPT);
    if (this.script !== script && this.script === "running") this.began = performance.now();
    if (this.connection !== connection) {
      this.away.is(this.connection);
      if (this.connection === "CONNECTED") this.greet();
      else this.release(); // Streamlit itself locks its widgets
    } else if (this.script !== script && this.script === "notRunning") this.goOn();
  }

  greet() {
    around(CONNECTION)?.setAttribute("inert", "");
    this.again = true;
    this.send?.("back", Date.now());
    this.timer = setTimeout(() => this.script === "notRunning" && this.goOn(), PATIENCE);
  }

  goOn() {
    this.release();
    if (said(CONNECTION) !== "CONNECTED") return;
    this.away.back();
    const { again, began } = this;
    this.again = false;
    tellAll(again, began);
  }

  release() {
    clearTimeout(this.timer);
    around(CONNECTION)?.removeAttribute("inert");
  }
}

/**
 * @param {string} attribute
 * @returns {Element | null} the element that has it
 */
function around(attribute) {
  return document.querySelector(`[${attribute}]`);
}

/** @param {string} attribute */
function said(attribute) {
  return around(attribute)?.getAttribute(attribute);
}

/**
 * @param {Component<Words>} component
 * @returns {() => void}
 */
export default function (component) {
  return mount(component, ".reconnect", Reconnect);
}
