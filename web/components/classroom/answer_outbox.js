// The answers of this browser, stored until the server acknowledges them.

const RETRY_DELAY = 3_000; // milliseconds

/**
 * @typedef {object} AnswerStorage outlives a reload
 * @property {() => Record<string, GivenAnswer>} read by question and round
 * @property {(answers: Record<string, GivenAnswer>) => void} write
 */

export class AnswerOutbox {
  /**
   * @param {AnswerStorage} storage
   * @param {(id: number, round: number, answer: unknown) => Promise<{ status: number, body: any }>} send
   * @param {() => void} onChange called after the state of an answer has changed
   */
  constructor(storage, send, onChange) {
    this.storage = storage;
    this.send = send;
    this.onChange = onChange;
    this.sending = false;
    this.closed = false;
  }

  /**
   * @param {number} id of the question
   * @param {number} round
   * @returns {GivenAnswer | undefined}
   */
  get(id, round) {
    return this.storage.read()[`${id}.${round}`];
  }

  /**
   * Add an answer and send it. A second answer in a round is ignored.
   *
   * @param {number} id
   * @param {number} round
   * @param {unknown} answer
   */
  add(id, round, answer) {
    if (this.get(id, round)) return;
    this.set(id, round, { answer, state: "waiting" });
    this.flush();
  }

  /**
   * Record the answer that the server has stored.
   *
   * @param {number} id
   * @param {number} round
   * @param {unknown} answer
   */
  acknowledge(id, round, answer) {
    if (this.get(id, round)?.state !== "arrived") this.set(id, round, { answer, state: "arrived" });
  }

  /** Send the waiting answers, oldest first, until the server does not respond. */
  async flush() {
    if (this.sending) return;
    this.sending = true;
    clearTimeout(this.timer);
    for (let next = this.firstWaiting(); next; next = this.firstWaiting()) {
      const [id, round, { answer }] = next;
      const { status, body } = await this.send(id, round, answer);
      if (this.closed) break;
      const result = resultOf(status, body, answer);
      if (result === null) {
        this.timer = setTimeout(() => this.flush(), RETRY_DELAY);
        break;
      }
      this.set(id, round, result);
    }
    this.sending = false;
  }

  close() {
    this.closed = true;
    clearTimeout(this.timer);
  }

  /** @returns {[id: number, round: number, given: GivenAnswer] | undefined} */
  firstWaiting() {
    const found = Object.entries(this.storage.read()).find(([, { state }]) => state === "waiting");
    if (!found) return undefined;
    const [id, round] = found[0].split(".").map(Number);
    return [id, round, found[1]];
  }

  /** @param {number} id @param {number} round @param {GivenAnswer} given */
  set(id, round, given) {
    this.storage.write({ ...this.storage.read(), [`${id}.${round}`]: given });
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
  if (status < 300) return { answer: body.answer ?? answer, state: "arrived" };
  // Another device of the same student has answered first.
  if (status === 409 && body.answer !== undefined && body.answer !== null) {
    return { answer: body.answer, state: "arrived" };
  }
  return { answer, state: "late" };
}
