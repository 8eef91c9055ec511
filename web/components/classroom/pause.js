// A text over the whole page: the message of a pause, or the cover of a projector. What is typed on
// the page below stays.

import { find } from "../common/find.js";
import { element } from "./dom.js";

export class Pause {
  /** @param {HTMLElement} root @param {string} title */
  constructor(root, title) {
    const dialog = (this.dialog = find(root, "dialog.pause", HTMLDialogElement));
    this.text = element("p");
    dialog.replaceChildren(element("h2", title), this.text);
    dialog.setAttribute("aria-label", title);
    dialog.oncancel = (event) => event.preventDefault(); // Escape does not end a pause
    dialog.className = "pause sheet";
  }

  /** @param {string | null} text null uncovers the page */
  show(text) {
    this.text.textContent = text ?? "";
    if (text === null) this.dialog.close();
    else if (!this.dialog.open) this.dialog.showModal();
  }
}
