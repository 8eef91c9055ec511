// A button that copies the page's address.

import { copyLink } from "../common/copying.js";

/** @param {Component<{ copy: string, copied: string }>} component */
export default function ({ data, parentElement }) {
  const button = parentElement.querySelector("button");
  button.textContent = data.copy;
  button.onclick = () => copyLink(button, data);
}
