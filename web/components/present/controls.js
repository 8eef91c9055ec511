// Visibility of the controls: they are shown while the pointer moves, and for a moment after.

import { STREAMLIT } from "../../streamlit_patches/elements.js";

const POINTED = 2500; // milliseconds that they stay after the last movement
const USED = `${STREAMLIT.header}:hover, .headlight-present .tools:hover, .st-key-sentence_form:is(:hover, :focus-within), ${STREAMLIT.popover}, [role="listbox"]`;

export class Controls {
  /** @param {HTMLElement} html its attribute `data-pointing` is for the style sheet */
  constructor(html) {
    this.html = html;
  }

  /** @param {PointerEvent} event */
  pointed({ movementX, movementY }) {
    if (!(movementX || movementY)) return;
    this.html.dataset.pointing = "";
    this.wait();
  }

  /** Hide the controls later, unless they are in use then. */
  wait() {
    clearTimeout(this.resting);
    const rested = () => (document.querySelector(USED) ? this.wait() : this.go());
    this.resting = setTimeout(rested, POINTED);
  }

  go() {
    clearTimeout(this.resting);
    delete this.html.dataset.pointing;
  }
}
