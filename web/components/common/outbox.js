// Delivery of a component's actions to the server; web/components/edits.py is the server's side.
//
// Streamlit drops messages without a connection. Of two unread messages with the same trigger, the
// server gets only the second. Therefore:
// - Actions wait for the connection, and the last one of each trigger wins.
// - An edit sets a field. Edits are numbered, and a message contains all unacknowledged edits.
// - Edits and choices are retried if the connection breaks before they are acknowledged: an edit by
//   its number in a payload, a choice by the end of a run that began after it.
// - An edit that is not acknowledged after RETRY_INTERVAL, with no run in progress, is sent again. A
//   message that is sent during the first runs after a restart of the server may be lost.

import { CONNECTION, SCRIPT, appState } from "../../streamlit_patches/app_state.js";
import { unset } from "./find.js";

const EDITED = "edited"; // the trigger of all edits
const RETRY_INTERVAL = 3_000; // milliseconds, doubled by each retry
const MAX_RETRIES = 3; // of an edit, while the connection is up
const RETRIED = new Set([EDITED, "stop"]); // receiving them twice changes nothing

/** @typedef {{ value: unknown, sent: boolean, at: number }} Message with the time of its action */

export class Outbox {
  number = 0; // of the newest edit
  acknowledged = 0;
  retries = 0; // of the newest edit
  /** @type {Map<string, { value: any, number: number }>} by field: not acknowledged */
  edits = new Map();
  /** @type {Map<string, Message>} by trigger: not sent, or not acknowledged */
  messages = new Map();
  /** @type {Component<unknown>["setTriggerValue"]} from the newest payload */
  transmit = unset();

  /** Whether the newest payload is older than the newest edit; it must not overwrite the edit. */
  get stale() {
    return this.edits.size > 0;
  }

  /** @param {string} trigger @param {unknown} value */
  send(trigger, value) {
    const sent = (appState(CONNECTION) ?? "CONNECTED") === "CONNECTED";
    this.messages.delete(trigger);
    if (!sent || RETRIED.has(trigger))
      this.messages.set(trigger, { value, sent, at: performance.now() });
    if (sent) this.transmit(trigger, value);
    if (sent && trigger === EDITED) this.expect();
  }

  /** Send the edits again if they are not acknowledged in time. */
  expect() {
    clearTimeout(this.timer);
    const retry = () => {
      const message = this.messages.get(EDITED);
      if (!message?.sent) return; // without a connection it waits for the next one
      if (appState(SCRIPT) !== "notRunning") this.expect();
      else if (this.retries++ < MAX_RETRIES) this.send(EDITED, message.value);
    };
    this.timer = setTimeout(retry, RETRY_INTERVAL * 2 ** this.retries);
  }

  /** @param {Record<string, unknown>} values the new value of each field */
  edit(values) {
    const number = ++this.number;
    this.retries = 0;
    for (const [field, value] of Object.entries(values)) this.edits.set(field, { value, number });
    const fields = Object.fromEntries([...this.edits].map(([field, { value }]) => [field, value]));
    this.send(EDITED, { number, fields });
  }

  /**
   * @param {number} number of the last edit that the server has received
   * @returns {boolean} whether acknowledged edits are lost: the server has a new session
   */
  acknowledge(number) {
    const lost = number < this.acknowledged;
    this.acknowledged = number;
    this.number = Math.max(this.number, number);
    for (const [field, edit] of this.edits) if (edit.number <= number) this.edits.delete(field);
    if (!this.stale) this.messages.delete(EDITED);
    return lost;
  }

  /** @param {RunEnd} end receives the messages to send */
  flush({ reconnected, began, messages }) {
    for (const [trigger, { value, sent, at }] of this.messages) {
      if (reconnected || !sent) messages.push({ at, send: () => this.send(trigger, value) });
      else if (trigger !== EDITED && at < began) this.messages.delete(trigger);
    }
  }
}

/**
 * Send the waiting messages of all components after a run, in the order of the actions, because two
 * components may set the same value. The run `began` at this time of the page's clock.
 *
 * @type {(reconnected: boolean, began: number) => number} returns the number of messages
 */
export function flushOutboxes(reconnected, began) {
  const detail = /** @type {RunEnd} */ ({ reconnected, began, messages: [] });
  window.dispatchEvent(new CustomEvent("headlight-run-end", { detail }));
  for (const { send } of detail.messages.sort((one, other) => one.at - other.at)) send();
  return detail.messages.length;
}
