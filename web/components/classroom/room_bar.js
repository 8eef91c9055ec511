// The bar at the bottom of every page while this browser is in a room.

import { element, formatCode, message } from "./dom.js";

export class RoomBar {
  /**
   * @param {HTMLElement} root
   * @param {string} code of the room
   */
  constructor(root, code) {
    this.bar = /** @type {HTMLElement} */ (root.querySelector(".strip"));
    this.status = element("span.state", { role: "status" });
    const name = element("b", message("room", { code: formatCode(code) }));
    this.bar.replaceChildren(name, this.status);
    this.bar.hidden = false;
    // A popover is above the elements that the page opens, where the browser supports it.
    if (!this.bar.matches(":popover-open")) this.bar.showPopover?.();
  }

  /** @param {...HTMLElement} controls */
  add(...controls) {
    this.bar.append(...controls);
  }

  /** @param {string} text @param {ConnectionState} connection */
  setStatus(text, connection) {
    this.status.textContent = text;
    this.bar.dataset.connection = connection;
  }

  remove() {
    if (this.bar.matches(":popover-open")) this.bar.hidePopover();
    this.bar.hidden = true;
    this.bar.replaceChildren();
  }
}
