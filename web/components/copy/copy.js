// A button that copies the page's URL. Every page with a model selector has it. Therefore this
// component also installs the workaround for that selector.

import { copyLink, linkForOthers } from "../common/copying.js";
import { find } from "../common/find.js";
import { mount } from "../common/mount.js";
import { Part } from "../common/part.js";
import { keepWhatIsTyped } from "../common/typing.js";

const READ = 6_000; // milliseconds for which a sentence is shown

/** @extends {Part<Record<"copy" | "copied" | "origin" | "alone", string>>} see share_link.py */
class Copy extends Part {
  link = find(this.root, ".link");
  alone = find(this.root, ".alone");

  /** @param {Made} made */
  constructor(...made) {
    super(...made);
    this.link.onclick = () => this.copy();
    keepWhatIsTyped(this.signal);
  }

  /** @param {Component<Record<"copy" | "copied" | "origin" | "alone", string>>} component */
  receive({ data }) {
    this.data = data;
    this.link.textContent = data.copy;
    this.alone.textContent = data.alone;
  }

  copy() {
    copyLink(linkForOthers(this.data.origin), this.link, this.data);
    this.alone.hidden = !this.data.alone;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => (this.alone.hidden = true), READ);
  }
}

export default mount(".copy", Copy);
