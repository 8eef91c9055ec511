// The strip below every page, while this browser is in a room: which, how the line is, what can be done.

import { make, say, spelled } from "./bits.js";

export class Strip {
  /**
   * @param {HTMLElement} root
   * @param {Record<string, string>} words
   * @param {string} code
   * @param {...HTMLElement} parts behind the room's name and how the line is
   */
  constructor(root, words, code, ...parts) {
    this.box = /** @type {HTMLElement} */ (root.querySelector(".strip"));
    this.state = make("span", { className: "state", role: "status" });
    const name = make("b", {}, say(words.room, { code: spelled(code) }));
    this.box.replaceChildren(name, this.state, ...parts);
    this.box.hidden = false;
    // Above everything that the page lays over itself, where the browser can.
    if (!this.box.matches(":popover-open")) this.box.showPopover?.();
  }

  /**
   * @param {string} said
   * @param {LineState} line
   */
  say(said, line) {
    this.state.textContent = said;
    this.box.dataset.line = line;
  }

  end() {
    if (this.box.matches(":popover-open")) this.box.hidePopover();
    this.box.hidden = true;
    this.box.replaceChildren();
  }
}

/**
 * @param {LineState} line
 * @returns {boolean} whether nothing more will come
 */
export function over(line) {
  return line === "ended" || line === "refused";
}
