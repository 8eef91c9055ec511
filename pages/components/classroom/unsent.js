// Answers that this browser has given: kept until the server says that it has them.

const AGAIN = 3_000; // milliseconds

/**
 * @typedef {object} Shelf
 * @property {() => Record<string, GivenAnswer>} read
 * @property {(answers: Record<string, GivenAnswer>) => void} write
 */

export class Unsent {
  /**
   * @param {Shelf} shelf where answers outlive a reload
   * @param {(id: number, round: number, answer: unknown) => Promise<{ status: number, said: any }>} send
   * @param {() => void} changed called whenever something has come of an answer
   */
  constructor(shelf, send, changed) {
    this.shelf = shelf;
    this.send = send;
    this.changed = changed;
    this.sending = false;
  }

  /**
   * @param {number} id of the question
   * @param {number} round
   * @returns {GivenAnswer | undefined}
   */
  of(id, round) {
    return this.shelf.read()[`${id}.${round}`];
  }

  /**
   * One answer a round: a second one is not taken.
   *
   * @param {number} id
   * @param {number} round
   * @param {unknown} answer
   */
  give(id, round, answer) {
    if (this.of(id, round)) return;
    this.note(id, round, { answer, state: "waiting" });
    this.goOn();
  }

  /**
   * The server's own word on what it has.
   *
   * @param {number} id
   * @param {number} round
   * @param {unknown} answer
   */
  arrived(id, round, answer) {
    if (this.of(id, round)?.state !== "arrived") this.note(id, round, { answer, state: "arrived" });
  }

  /** Send what waits, in the order in which it was given; to be called when the line is back. */
  async goOn() {
    if (this.sending) return;
    this.sending = true;
    clearTimeout(this.timer);
    for (let next = this.waiting(); next; next = this.waiting()) {
      const [id, round, { answer }] = next;
      const { status, said } = await this.send(id, round, answer);
      if (this.ended) break;
      const now = became(status, said, answer);
      if (now === null) {
        this.timer = setTimeout(() => this.goOn(), AGAIN);
        break;
      }
      this.note(id, round, now);
    }
    this.sending = false;
  }

  end() {
    this.ended = true;
    clearTimeout(this.timer);
  }

  /** @returns {[number, number, GivenAnswer] | undefined} */
  waiting() {
    const found = Object.entries(this.shelf.read()).find(([, each]) => each.state === "waiting");
    if (!found) return undefined;
    const [id, round] = found[0].split(".").map(Number);
    return [id, round, found[1]];
  }

  /**
   * @param {number} id
   * @param {number} round
   * @param {GivenAnswer} given
   */
  note(id, round, given) {
    this.shelf.write({ ...this.shelf.read(), [`${id}.${round}`]: given });
    this.changed();
  }
}

/**
 * @param {number} status
 * @param {any} said
 * @param {unknown} answer
 * @returns {GivenAnswer | null} what came of it; null: nobody has said yet
 */
function became(status, said, answer) {
  if (status === 0 || status === 429 || status >= 500) return null;
  if (status < 300) return { answer: said.answer ?? answer, state: "arrived" };
  // Another device of the same student was first.
  if (status === 409 && said.answer !== undefined && said.answer !== null) {
    return { answer: said.answer, state: "arrived" };
  }
  return { answer, state: "late" };
}
