// Actions in the steps that the server has not acknowledged yet. Of two unread messages, the server
// gets only the second, so each message contains all pending actions. A mask cell is sent with its
// new state, not as a change, so that a repeated message has no effect.

/** @typedef {{ query: number, key: number, allowed: boolean, number: number }} Toggle */

export class PendingActions {
  constructor() {
    this.number = 0; // number of the last action
    /** @type {CalculationSelection & { number: number } | null} */
    this.look = null;
    /** @type {Toggle[]} */
    this.toggles = [];
  }

  /** @param {number} number the server has applied all actions up to it */
  acknowledge(number) {
    this.number = Math.max(this.number, number);
    if (this.look && this.look.number <= number) this.look = null;
    this.toggles = this.toggles.filter((cell) => cell.number > number);
  }

  /** @param {CalculationSelection} look */
  select(look) {
    this.look = { ...look, number: ++this.number };
  }

  /**
   * Store a click on a cell of the mask.
   *
   * @param {number} query
   * @param {number} key
   * @param {boolean} allowed state of the cell in the last response
   */
  toggle(query, key, allowed) {
    const same = (/** @type {Toggle} */ cell) => cell.query === query && cell.key === key;
    const wanted = !(this.toggles.find(same)?.allowed ?? allowed);
    const others = this.toggles.filter((cell) => !same(cell));
    this.toggles = [...others, { query, key, allowed: wanted, number: ++this.number }];
  }

  message() {
    const { number, look, toggles } = this;
    return { number, look, toggles };
  }
}
