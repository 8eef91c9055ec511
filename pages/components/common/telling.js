// What is done while the server is away is told when it is back: Streamlit would drop it without a
// word. Of what one component tells under one name, the last is told, as it would be otherwise.
//
// So is a choice that was on its way when the line broke: nobody knows whether it arrived, and told
// twice it changes nothing. What else may be lost is kept by its own component, as typed cells are.

const WIRE = "data-test-connection-state"; // Streamlit's own, on the element around the app
const CHOICES = new Set(["picked", "picked_keys"]); // change nothing when they are told twice

/** @typedef {(name: string, value: unknown) => void} Tell */

export class Telling {
  constructor() {
    /** @type {Map<string, unknown>} */
    this.waiting = new Map();
    /** @type {Map<string, { value: unknown, at: number }>} */
    this.unheard = new Map();
  }

  /**
   * @param {Tell} tell Streamlit's own; another one each time that data arrives
   * @returns {Tell} what a component tells through
   */
  through(tell) {
    this.tell = tell;
    return (name, value) => {
      this.waiting.delete(name);
      this.unheard.delete(name);
      if (away()) {
        this.waiting.set(name, value);
        return;
      }
      if (CHOICES.has(name)) this.unheard.set(name, { value, at: performance.now() });
      this.tell(name, value);
    };
  }

  /**
   * The server is there and at rest.
   *
   * @param {Rested} rested
   */
  goOn({ again, began }) {
    const waiting = [...this.waiting];
    this.waiting.clear();
    for (const [name, { value, at }] of this.unheard) {
      if (again) waiting.unshift([name, value]);
      if (again || at < began) this.unheard.delete(name); // the run that has ended knew of it
    }
    for (const [name, value] of waiting) this.tell(name, value);
  }
}

function away() {
  const state = document.querySelector(`[${WIRE}]`)?.getAttribute(WIRE);
  return state !== undefined && state !== "CONNECTED";
}
