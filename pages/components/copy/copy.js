// A button that copies the page's address. It stands on every page that asks for a model, and so
// sees to it that a model's name can be typed.

import { copyLink } from "../common/copying.js";
import { mount } from "../common/mount.js";
import { keepWhatIsTyped } from "../common/typing.js";

/** @typedef {{ copy: string, copied: string }} CopyData */

/** @implements {Drawing<CopyData>} */
class Copy {
  /**
   * @param {HTMLElement} root
   * @param {AbortSignal} signal
   */
  constructor(root, signal) {
    this.button = root.querySelector("button");
    this.button.onclick = () => copyLink(this.button, this.data);
    keepWhatIsTyped(signal);
  }

  /** @param {Component<CopyData>} component */
  receive({ data }) {
    this.data = data;
    this.button.textContent = data.copy;
  }
}

/**
 * @param {Component<CopyData>} component
 * @returns {() => void}
 */
export default function (component) {
  return mount(component, ".copy", Copy);
}
