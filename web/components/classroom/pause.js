// A pause: the teacher's message over the whole page. What is typed on the page below stays.

import { element, message } from "./dom.js";

export class Pause {
  /** @param {HTMLDialogElement} dialog */
  constructor(dialog) {
    this.dialog = dialog;
    this.text = element("p");
    dialog.replaceChildren(element("h2", message("paused")), this.text);
    dialog.setAttribute("aria-label", message("paused"));
    dialog.oncancel = (event) => event.preventDefault(); // Escape does not end a pause
    dialog.className = "pause sheet";
  }

  /** @param {string | null} text of the teacher; null outside a pause */
  show(text) {
    this.text.textContent = text ?? "";
    if (text === null) this.dialog.close();
    else if (!this.dialog.open) this.dialog.showModal();
  }
}
