// The tokens as buttons: piece, id, and whether it is picked. User text only ever becomes
// textContent.

import { mount } from "../common/mount.js";
import { roving } from "../common/roving.js";
import { toggled } from "../common/selection.js";

/**
 * @typedef {object} ChipsData
 * @property {Side} side
 * @property {{ label: string, ids: string, title: string, kind: string }[]} chips
 * @property {number[]} picked
 * @property {string} hue
 * @property {string} label of all together
 * @property {string} count how many there are
 * @property {string} hint what clicking them does
 */

/** @implements {Drawing<ChipsData>} */
class Chips {
  /**
   * @param {HTMLElement} root
   * @param {AbortSignal} signal
   */
  constructor(root, signal) {
    this.root = root;
    this.settle = roving(root, () => this.buttons ?? []);
    window.addEventListener("headlight-view", () => this.mark(), { signal });
  }

  /** @param {Component<ChipsData>} component */
  receive({ data, setTriggerValue }) {
    this.data = data;
    this.picked = new Set(data.picked);
    this.send = setTriggerValue;
    this.root.setAttribute("aria-label", data.label);
    this.root.style.setProperty("--hue", data.hue);
    this.buttons = data.chips.map((chip, index) => this.button(chip, index));
    const count = document.createElement("span");
    count.className = "count";
    count.textContent = data.count;
    count.title = data.hint;
    this.root.replaceChildren(...this.buttons, count);
    this.settle();
    this.mark();
  }

  /**
   * @param {ChipsData["chips"][number]} chip
   * @param {number} index
   */
  button(chip, index) {
    const button = document.createElement("button");
    button.type = "button";
    button.className = chip.kind;
    button.title = chip.title;
    const piece = document.createElement("span");
    piece.className = "piece";
    piece.textContent = chip.label;
    const ids = document.createElement("span");
    ids.className = "ids";
    ids.textContent = chip.ids;
    button.append(piece, ids);
    button.onclick = () => this.toggle(index);
    return button;
  }

  /** @param {number} index */
  toggle(index) {
    const picked = toggled(this.picked, index);
    this.picked = new Set(picked);
    this.show();
    this.send("picked", picked);
  }

  mark() {
    const view = window.headlightView;
    if (view && this.data) this.picked = new Set(view.picked[this.data.side]);
    this.show();
  }

  show() {
    this.buttons?.forEach((button, index) =>
      button.setAttribute("aria-pressed", String(this.picked.has(index))),
    );
  }
}

/**
 * @param {Component<ChipsData>} component
 * @returns {() => void}
 */
export default function (component) {
  return mount(component, ".chips", Chips);
}
