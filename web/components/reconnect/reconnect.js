// Reports to the server that the browser has reconnected.
//
// After a restart of the server, or when the session has expired, the browser connects to a new
// session. Streamlit would report this only with the user's next action. This component sends a
// trigger immediately, so that the page is drawn before that action.
//
// Until the new session has drawn the page, the page is inert: an action in a part that the session
// has not drawn yet would be dropped, and its widget reset. After that run, not earlier, all
// components send the actions that wait; see common/outbox.js.
//
// Streamlit disables every widget while there is no connection. Text fields stay usable here: what is
// typed is sent with the values of all widgets when the browser has reconnected.
//
// A widget whose script could not be loaded shows an error, also after a reconnect: the browser does
// not load it again. The page is reloaded then; its view is in the query string.

import { CONNECTION, SCRIPT, appElement, appState } from "../../streamlit_patches/app_state.js";
import { mount } from "../common/mount.js";
import { flushOutboxes } from "../common/outbox.js";
import { Away } from "./away.js";

const RUN_TIMEOUT = 5_000; // milliseconds to wait for the first run after a reconnect
const RELOAD_DELAY = 1_000; // milliseconds, if the connection is up when a script fails
const RELOAD_INTERVAL = 60_000; // milliseconds between two reloads of a page that stays broken
const RELOADED = "headlight-reloaded"; // key of the time of the last reload
const TEXT_FIELDS = "textarea, input:is([type=text], [type=number]):not([role=combobox])";
const SCRIPT_ERRORS = ["vite:preloadError", "headlight-script-error"]; // Streamlit's, and ours

class Reconnect {
  /** @param {HTMLElement} root @param {AbortSignal} signal */
  constructor(root, signal) {
    this.away = new Away(root, signal);
    this.connection = appState(CONNECTION);
    this.script = appState(SCRIPT);
    this.reconnected = false;
    this.began = performance.now(); // when the current run began
    for (const name of SCRIPT_ERRORS)
      window.addEventListener(name, () => this.onScriptError(), { signal });
    /** @type {EventTarget | null} */
    let blurred = null; // the field that had the focus when it was disabled
    const onBlur = (/** @type {FocusEvent} */ event) => {
      blurred = event.target;
      // Streamlit would send a text that the user has not finished.
      if (appElement(CONNECTION)?.hasAttribute("inert")) event.stopPropagation();
    };
    document.addEventListener("focusout", onBlur, { signal, capture: true });
    const observer = new MutationObserver((records) => {
      if (appState(CONNECTION) !== "CONNECTED") enableTextFields(records, blurred);
      this.update();
    });
    const attributeFilter = [CONNECTION, SCRIPT, "disabled"];
    observer.observe(document.body, { attributeFilter, subtree: true });
    signal.addEventListener("abort", () => {
      observer.disconnect();
      this.unlock();
    });
    if (window.headlightScriptLost) this.onScriptError();
  }

  /** @param {Component<import("./away.js").Words>} component */
  receive({ data, setTriggerValue }) {
    this.away.words = data;
    this.send = setTriggerValue;
  }

  update() {
    const { connection, script } = this;
    this.connection = appState(CONNECTION);
    this.script = appState(SCRIPT);
    if (this.script !== script && this.script === "running") this.began = performance.now();
    if (this.connection !== connection) {
      this.away.update(this.connection);
      if (this.connection === "CONNECTED") this.onReconnect();
      else this.unlock(); // Streamlit disables its widgets itself
    } else if (this.script !== script && this.script === "notRunning") this.onRunEnd();
  }

  onReconnect() {
    this.focused = /** @type {HTMLElement | null} */ (document.activeElement);
    appElement(CONNECTION)?.setAttribute("inert", "");
    this.reconnected = true;
    this.send?.("reconnected", Date.now());
    this.timer = setTimeout(() => this.script === "notRunning" && this.unlock(), RUN_TIMEOUT);
  }

  onRunEnd() {
    this.unlock();
    if (appState(CONNECTION) !== "CONNECTED") return;
    this.away.announceReconnect();
    const { reconnected, began } = this;
    this.reconnected = false;
    const n_sent = flushOutboxes(reconnected, began);
    if (window.headlightScriptLost && !n_sent) reload();
  }

  onScriptError() {
    if (appState(CONNECTION) === "CONNECTED") setTimeout(() => this.onRunEnd(), RELOAD_DELAY);
  }

  unlock() {
    clearTimeout(this.timer);
    appElement(CONNECTION)?.removeAttribute("inert");
    if (document.activeElement === document.body) this.focused?.focus({ preventScroll: true });
    this.focused = null;
  }
}

/** @type {(records: MutationRecord[], blurred: EventTarget | null) => void} */
function enableTextFields(records, blurred) {
  for (const { target } of records) {
    const field = /** @type {HTMLInputElement} */ (target);
    if (!field.matches(TEXT_FIELDS) || !field.disabled) continue;
    field.disabled = false;
    if (field === blurred && document.activeElement === document.body) field.focus();
  }
}

function reload() {
  try {
    if (Date.now() - Number(sessionStorage.getItem(RELOADED)) < RELOAD_INTERVAL) return;
    sessionStorage.setItem(RELOADED, String(Date.now()));
  } catch {
    return; // without storage, a page that stays broken would reload without end
  }
  window.location.reload();
}

export default mount(".reconnect", Reconnect);
