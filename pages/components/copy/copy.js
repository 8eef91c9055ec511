// Buttons that hand out the page's address: one copies it, one shows it as a QR code. They stand on
// every page that asks for a model, and so see to it that a model's name can be typed.

import { copyLink, linkForOthers } from "../common/copying.js";
import { mount } from "../common/mount.js";
import { drawQr } from "../common/qr.js";
import { keepWhatIsTyped } from "../common/typing.js";

/**
 * @typedef {object} CopyData
 * @property {string} copy
 * @property {string} copied
 * @property {string} show
 * @property {string} close
 * @property {string} too_long
 * @property {string} origin under which others find the server
 * @property {string} alone why nobody else can open the link; "" where others can
 * @property {string} codes where a text is made a QR code
 */

const READ = 6_000; // milliseconds in which a sentence is read

/** @implements {Drawing<CopyData>} */
class Copy {
  /**
   * @param {HTMLElement} root
   * @param {AbortSignal} signal
   */
  constructor(root, signal) {
    this.link = /** @type {HTMLButtonElement} */ (root.querySelector(".link"));
    this.code = /** @type {HTMLButtonElement} */ (root.querySelector(".code"));
    this.close = /** @type {HTMLButtonElement} */ (root.querySelector(".close"));
    this.alone = /** @type {HTMLElement} */ (root.querySelector(".alone"));
    this.dialog = root.querySelector("dialog");
    this.qr = /** @type {SVGElement} */ (root.querySelector(".qr"));
    this.link.onclick = () => this.copy();
    this.code.onclick = () => this.show();
    this.close.onclick = () => this.dialog.close();
    this.dialog.onclick = ({ target }) => target === this.dialog && this.dialog.close();
    signal.addEventListener("abort", () => clearTimeout(this.timer));
    keepWhatIsTyped(signal);
  }

  /** @param {Component<CopyData>} component */
  receive({ data }) {
    this.data = data;
    this.link.textContent = data.copy;
    this.code.title = data.show;
    this.code.setAttribute("aria-label", data.show);
    this.close.textContent = data.close;
    this.alone.textContent = data.alone;
  }

  copy() {
    copyLink(linkForOthers(this.data.origin), this.link, this.data);
    this.alone.hidden = !this.data.alone;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => (this.alone.hidden = true), READ);
  }

  async show() {
    const link = linkForOthers(this.data.origin);
    const says = (name, text) => (this.dialog.querySelector(name).textContent = text);
    says(".address", decoded(link));
    says(".said", this.data.alone);
    this.qr.replaceChildren();
    this.qr.setAttribute("aria-label", this.data.show);
    this.dialog.showModal();
    const answer = await fetch(this.data.codes, { method: "POST", body: link });
    if (answer.ok) drawQr(this.qr, await answer.json());
    else if (answer.status === 413) says(".said", this.data.too_long);
  }
}

/**
 * A link as it is read; what a browser would not read as one stands as it is.
 *
 * @param {string} link
 */
function decoded(link) {
  try {
    return decodeURI(link);
  } catch {
    return link;
  }
}

/**
 * @param {Component<CopyData>} component
 * @returns {() => void}
 */
export default function (component) {
  return mount(component, ".copy", Copy);
}
