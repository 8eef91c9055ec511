// The tokens as buttons. If two models split the sentence differently, each has a row, and the tokens
// of the same word are aligned. Text of the user is always set as textContent.

import { element } from "../common/element.js";
import { roving } from "../common/roving.js";

/** @import { Store } from "./store.js" */

export class Tokens {
  /** @type {Subject[] | null} */
  shown = null;
  rows = /** @type {Subject[]} */ ([]);
  buttons = /** @type {HTMLElement[][]} */ ([]);

  /** @param {HTMLElement} box @param {Store} store */
  constructor(box, store) {
    this.box = box;
    this.store = store;
    this.settle = [0, 1].map((row) => roving(box, () => this.buttons[row] ?? []));
  }

  draw() {
    const { subjects, groups } = this.store;
    if (this.shown !== subjects) this.build(subjects, groups);
    this.rows.forEach((subject, row) => {
      const picked = this.store.picked(subject);
      this.buttons[row].forEach((button, unit) =>
        button.setAttribute("aria-pressed", String(picked.includes(unit))),
      );
    });
  }

  /** @param {Subject[]} subjects @param {number[][][] | null} groups aligned units; null if alike */
  build(subjects, groups) {
    this.shown = subjects;
    this.rows = groups ? subjects : subjects.slice(0, 1);
    this.box.classList.toggle("paired", this.rows.length > 1);
    this.box.setAttribute("aria-label", this.rows.map(({ tokens }) => tokens.label).join("; "));
    this.buttons = this.rows.map((subject) =>
      subject.tokens.chips.map((_, i) => this.button(subject, i)),
    );
    const words = (groups ?? this.buttons[0].map((_, i) => [[i]])).map((places) => {
      const rows = places.map((units, row) =>
        element("span", "row", ...units.map((unit) => this.buttons[row][unit])),
      );
      return element("span", "word", ...rows);
    });
    const counts = this.rows.map(({ tokens }) => element("span", "", tokens.count));
    this.box.replaceChildren(...words, element("span", "count", ...counts));
    for (const settle of this.settle) settle();
  }

  /** @param {Subject} subject @param {number} unit */
  button({ side, rgb, tokens }, unit) {
    const { label, title, kind } = tokens.chips[unit];
    const button = element("button", kind, label);
    button.type = "button";
    button.title = title;
    button.dataset.side = side;
    button.style.setProperty("--hue", `rgb(${rgb})`);
    if (this.rows.length > 1) button.setAttribute("aria-description", tokens.label);
    button.onclick = (event) => this.store.pick(side, unit, event.shiftKey);
    return button;
  }
}
