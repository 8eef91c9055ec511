// What is done while the server is away is told when it is back: Streamlit would drop it without a
// word. Of what one component tells under one name, the last is told, as it would be otherwise; and
// of what several components tell, each in its turn: two of them may choose the same.
//
// So is a choice that was on its way when the line broke: nobody knows whether it arrived, and told
// twice it changes nothing. What else may be lost is kept by its own component, as typed cells are.

import { unset } from "./find.js";

const WIRE = "data-test-connection-state"; // Streamlit's own, on the element around the app
const CHOICES = new Set(["picked", "picked_keys"]); // change nothing when they are told twice

/** @typedef {(name: string, value: unknown) => void} Tell */
/** @typedef {{ value: unknown, at: number }} Told when, by the page's clock */

export class Telling {
  constructor() {
    /** @type {Map<string, Told>} */
    this.waiting = new Map();
    /** @type {Map<string, Told>} */
    this.unheard = new Map();
    /** @type {Tell} */
    this.tell = unset();
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
      const told = { value, at: performance.now() };
      if (away()) {
        this.waiting.set(name, told);
        return;
      }
      if (CHOICES.has(name)) this.unheard.set(name, told);
      this.tell(name, value);
    };
  }

  /**
   * The server is there and at rest.
   *
   * @param {Rested} rested to which is added what this one has to tell
   */
  goOn({ again, began, acts }) {
    const waiting = [...this.waiting];
    this.waiting.clear();
    for (const [name, told] of this.unheard) {
      if (again) waiting.push([name, told]);
      if (again || told.at < began) this.unheard.delete(name); // the run that has ended knew of it
    }
    for (const [name, { value, at }] of waiting)
      acts.push({ at, tell: () => this.tell(name, value) });
  }
}

/**
 * The server is there and at rest: have all components tell what it has not heard of.
 *
 * @param {boolean} again whether it was away
 * @param {number} began when the run began that has ended, by the page's clock
 */
export function tellAll(again, began) {
  /** @type {Rested} */
  const detail = { again, began, acts: [] };
  window.dispatchEvent(new CustomEvent("headlight-back", { detail }));
  for (const { tell } of detail.acts.sort((one, other) => one.at - other.at)) tell();
}

function away() {
  const state = document.querySelector(`[${WIRE}]`)?.getAttribute(WIRE);
  return state !== undefined && state !== "CONNECTED";
}
