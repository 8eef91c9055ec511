// The answers of this browser, stored until the server acknowledges them.

import { membershipOf, updateMembership } from "./membership.js";

const RETRY_DELAY = 3_000; // milliseconds

export class AnswerOutbox {
  /**
   * @param {string} code of the room
   * @param {"answers" | "work"} field of the membership, which outlives a reload
   * @param {(key: string, answer: any) => Promise<{ status: number, body: any }>} send
   * @param {() => void} onChange called after the state of an answer has changed
   * @param {AbortSignal} signal ends it
   */
  constructor(code, field, send, onChange, signal) {
    this.code = code;
    this.field = field;
    this.send = send;
    this.onChange = onChange;
    this.signal = signal;
    this.sending = false;
    signal.addEventListener("abort", () => clearTimeout(this.timer));
    window.addEventListener("online", () => this.flush(), { signal });
  }

  /** @returns {Record<string, GivenAnswer>} by key of the question */
  read() {
    return membershipOf(this.code)?.[this.field] ?? {};
  }

  /** @param {string} key of the question @returns {GivenAnswer | undefined} */
  get(key) {
    return this.read()[key];
  }

  /**
   * Send an answer. A second one with this key is ignored, unless the server refused the first.
   *
   * @param {string} key
   * @param {unknown} answer
   */
  add(key, answer) {
    if ((this.get(key)?.state ?? "refused") !== "refused") return;
    this.set(key, { answer, state: "waiting" });
    this.flush();
  }

  /** Record the answer that the server has stored. @param {string} key @param {unknown} answer */
  acknowledge(key, answer) {
    if (this.get(key)?.state !== "arrived") this.set(key, { answer, state: "arrived" });
  }

  /** Send the waiting answers, oldest first, until the server does not respond. */
  async flush() {
    if (this.sending) return;
    this.sending = true;
    clearTimeout(this.timer);
    const isWaiting = (/** @type {[string, GivenAnswer]} */ [, { state }]) => state === "waiting";
    let next;
    while ((next = Object.entries(this.read()).find(isWaiting))) {
      const [key, { answer }] = next;
      const { status, body } = await this.send(key, answer);
      if (this.signal.aborted) break;
      const result = resultOf(status, body, answer);
      if (result === null) {
        this.timer = setTimeout(() => this.flush(), RETRY_DELAY);
        break;
      }
      this.set(key, result);
    }
    this.sending = false;
  }

  /** @param {string} key @param {GivenAnswer} given */
  set(key, given) {
    updateMembership(this.code, { [this.field]: { ...this.read(), [key]: given } });
    this.onChange();
  }
}

/**
 * @param {number} status
 * @param {any} body
 * @param {unknown} answer
 * @returns {GivenAnswer | null} null if the answer must be sent again
 */
function resultOf(status, body, answer) {
  if (status === 0 || status === 429 || status >= 500) return null;
  // With 409, another device of the same student has answered first.
  const stored = body.answer ?? (status < 300 ? answer : null);
  if (stored !== null) return { answer: stored, state: "arrived" };
  return { answer, state: status === 400 ? "refused" : "late" };
}
