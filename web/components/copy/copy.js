// Buttons that share the page's URL: one copies it, one shows it as a QR code. Every page with a
// model selector has them. Therefore this component also installs the workaround for that selector.

import { copyLink, linkForOthers } from "../common/copying.js";
import { find } from "../common/find.js";
import { mount } from "../common/mount.js";
import { Part } from "../common/part.js";
import { drawQr } from "../common/qr.js";
import { keepWhatIsTyped } from "../common/typing.js";

const READ = 6_000; // milliseconds for which a sentence is shown

/** @typedef {"copy" | "copied" | "show" | "close" | "too_long" | "origin" | "alone" | "codes"} Name */

/** @extends {Part<Record<Name, string>>} with the strings, and share_data of share_link.py */
class Copy extends Part {
  link = find(this.root, ".link");
  code = find(this.root, ".code");
  close = find(this.root, ".close");
  alone = find(this.root, ".alone");
  dialog = find(this.root, "dialog", HTMLDialogElement);
  qr = find(this.root, ".qr", SVGElement);

  /** @param {Made} made */
  constructor(...made) {
    super(...made);
    this.link.onclick = () => this.copy();
    this.code.onclick = () => this.show();
    this.close.onclick = () => this.dialog.close();
    this.dialog.onclick = ({ target }) => target === this.dialog && this.dialog.close();
    this.signal.addEventListener("abort", () => clearTimeout(this.timer));
    keepWhatIsTyped(this.signal);
  }

  /** @param {Component<Record<Name, string>>} component */
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
