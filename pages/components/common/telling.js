// What is done while the server is away is told when it is back: Streamlit would drop it without a
// word. Of what one component tells under one name, the last is told, as it would be otherwise.

const WIRE = "data-test-connection-state"; // Streamlit's own, on the element around the app

/** @typedef {(name: string, value: unknown) => void} Tell */

export class Telling {
  constructor() {
    /** @type {Map<string, unknown>} */
    this.waiting = new Map();
  }

  /**
   * @param {Tell} tell Streamlit's own; another one each time that data arrives
   * @returns {Tell} what a component tells through
   */
  through(tell) {
    this.tell = tell;
    return (name, value) => {
      this.waiting.delete(name);
      if (away()) this.waiting.set(name, value);
      else this.tell(name, value);
    };
  }

  /** The server is back, and has drawn the page. */
  goOn() {
    const waiting = [...this.waiting];
    this.waiting.clear();
    for (const [name, value] of waiting) this.tell(name, value);
  }
}

function away() {
  const state = document.querySelector(`[${WIRE}]`)?.getAttribute(WIRE);
  return state !== undefined && state !== "CONNECTED";
}
