// The tokens as buttons: piece, id, and whether the token is picked. If two models tokenize the
// sentence differently, each has a row, and the tokens of the same word are aligned. User text is
// always set as textContent.

import { unset } from "../common/find.js";
import { mount } from "../common/mount.js";
import { roving } from "../common/roving.js";
import { toggled } from "../common/selection.js";

/**
 * @typedef {object} ChipsRow
 * @property {Side} side
 * @property {{ label: string, ids: string, title: string, kind: string }[]} chips
 * @property {number[]} picked
 * @property {string} hue
 * @property {string} label of the row
 * @property {string} count the number of tokens, as text
 */

/**
 * @typedef {object} ChipsData
 * @property {ChipsRow[]} rows one, or one for each side
 * @property {number[][][]} words for each word and each row, the indices of its chips
 * @property {string} hint the effect of a click
 */

class Chips {
  /** @param {HTMLElement} root @param {AbortSignal} signal */
  constructor(root, signal) {
    this.root = root;
    this.data = /** @type {ChipsData} */ (unset());
    this.send = /** @type {Component<ChipsData>["setTriggerValue"]} */ (unset());
    /** @type {Set<number>[]} for each row */
    this.picked = unset();
    this.buttons = /** @type {HTMLButtonElement[][]} */ ([]);
    // Each row is one tab stop.
    this.settle = [0, 1].map((row) => roving(root, () => this.buttons[row] ?? []));
    window.addEventListener("headlight-view", () => this.mark(), { signal });
  }

  /** @param {Component<ChipsData>} component */
  receive({ data, setTriggerValue }) {
    this.data = data;
    this.send = setTriggerValue;
    this.picked = data.rows.map(({ picked }) => new Set(picked));
    this.root.setAttribute("aria-label", data.rows.map(({ label }) => label).join("; "));
    this.root.classList.toggle("paired", data.rows.length > 1);
    this.buttons = data.rows.map((row, which) => row.chips.map((_, i) => this.button(which, i)));
    const counts = element(
      "count",
      data.rows.map(({ count }) => element("", [count])),
    );
    counts.title = data.hint;
    this.root.replaceChildren(...data.words.map((word) => this.word(word)), counts);
    for (const settle of this.settle) settle();
    this.mark();
  }

  /** @param {number[][]} places indices of the word's chips, for each row */
  word(places) {
    const rows = places.map((those, row) =>
      element(
        "row",
        those.map((i) => this.buttons[row][i]),
      ),
    );
    return element("word", rows);
  }

  /** @param {number} row @param {number} index */
  button(row, index) {
    const { side, hue, label, chips } = this.data.rows[row];
    const chip = chips[index];
    const button = document.createElement("button");
    button.type = "button";
    button.className = chip.kind;
    button.title = chip.title;
    button.dataset.side = side;
    button.style.setProperty("--hue", hue);
    if (this.data.rows.length > 1) button.setAttribute("aria-description", label);
    button.append(element("piece", [chip.label]), element("ids", [chip.ids]));
    button.onclick = () => this.toggle(row, index);
    return button;
  }

  /** @param {number} row @param {number} index */
  toggle(row, index) {
    const picked = toggled(this.picked[row], index);
    this.picked[row] = new Set(picked);
    this.show();
    this.send("picked", { side: this.data.rows[row].side, units: picked });
  }

  mark() {
    const view = window.headlightView;
    if (view && this.data)
      this.picked = this.data.rows.map(({ side }) => new Set(view.picked[side]));
    this.show();
  }

  show() {
    this.buttons.forEach((buttons, row) =>
      buttons.forEach((button, index) =>
        button.setAttribute("aria-pressed", String(this.picked[row].has(index))),
      ),
    );
  }
}

/** @param {string} className @param {(string | Node)[]} children */
function element(className, children) {
  const made = document.createElement("span");
  made.className = className;
  made.append(...children);
  return made;
}

export default mount(".chips", Chips);
