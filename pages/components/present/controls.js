// Controls are there while the pointer moves, and for a moment after.

const POINTED = 2500; // milliseconds that they stay after it rested
const USED =
  '[data-testid="stHeader"]:hover, .st-key-opening:is(:hover, :focus-within), [data-testid="stPopoverBody"], [role="listbox"]';

export class Controls {
  /** @param {HTMLElement} html what the style sheet asks */
  constructor(html) {
    this.html = html;
  }

  /** @param {PointerEvent} event */
  pointed({ movementX, movementY }) {
    if (!(movementX || movementY)) return;
    this.html.dataset.pointing = "";
    this.wait();
  }

  wait() {
    clearTimeout(this.resting);
    this.resting = setTimeout(() => this.rested(), POINTED);
  }

  /** They go, unless somebody is about to use them. */
  rested() {
    if (document.querySelector(USED)) this.wait();
    else this.go();
  }

  go() {
    clearTimeout(this.resting);
    delete this.html.dataset.pointing;
  }
}
