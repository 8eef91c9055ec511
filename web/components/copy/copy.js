// Buttons that share the page's URL: one copies it, one shows it as a QR code. Every page with a
// model selector has them. Therefore this component also installs the workaround for that selector.

import { copyLink, linkForOthers } from "../common/copying.js";
import { find } from "../common/find.js";
import { mount } from "../common/mount.js";
import { Part } from "../common/part.js";
import { drawQr } from "../common/qr.js";
import { keepWhatIsTyped } from "../common/typing.js";

/**
 * @typedef {object} CopyData
 * @property {string} copy
 * @property {string} copied
 * @property {string} show
 * @property {string} close
 * @property {string} too_long
 * @property {string} origin of the server for other people
 * @property {string} alone why other people cannot open the link; "" if they can
 * @property {string} codes URL of the endpoint that creates QR codes
 */

const READ = 6_000; // milliseconds for which a sentence is shown

/** @extends {Part<CopyData>} */
class Copy extends Part {
  /** @param {Made} made */
  constructor(...made) {
    super(...made);
    const { root, signal } = this;
    this.link = find(root, ".link", HTMLButtonElement);
    this.code = find(root, ".code", HTMLButtonElement);
    this.close = find(root, ".close", HTMLButtonElement);
    this.alone = find(root, ".alone");
    this.dialog = find(root, "dialog", HTMLDialogElement);
    this.qr = find(root, ".qr", SVGElement);
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
    this.code.hidden = false; // a second way to share it
    clearTimeout(this.timer);
    this.timer = setTimeout(() => (this.alone.hidden = true), READ);
  }

  async show() {
    const link = linkForOthers(this.data.origin);
    const note = find(this.dialog, ".said");
    find(this.dialog, ".address").textContent = decoded(link);
    note.textContent = this.data.alone;
    this.qr.replaceChildren();
    this.qr.setAttribute("aria-label", this.data.show);
    this.dialog.showModal();
    if (this.data.alone) return; // no phone can open the link
    const status = await drawQr(this.qr, this.data.codes, link);
    if (status === 413) note.textContent = this.data.too_long;
  }
}

/** Unchanged if it cannot be decoded. @param {string} link */
function decoded(link) {
  try {
    return decodeURI(link);
  } catch {
    return link;
  }
}

export default mount(".copy", Copy);
