// A button that reads a text file in the browser and sends its first part. The server has no
// endpoint for uploads: the text arrives as one value, within the limit of the page's messages.

import { find } from "../common/find.js";
import { mount } from "../common/mount.js";

/**
 * @typedef {object} DataFileData
 * @property {string} label of the button
 * @property {string} accept endings of the files
 * @property {number} most bytes that are read
 */

const LINE = 10; // a line break in UTF-8
const RETURN = 13; // before it in files of Windows
const ESCAPED = 1.6; // most growth of the text as JSON; messages of 2 MB are refused

/** @implements {Drawing<DataFileData>} */
class DataFile {
  /** @param {HTMLElement} root */
  constructor(root) {
    this.button = /** @type {HTMLButtonElement} */ (find(root, "button"));
    this.input = /** @type {HTMLInputElement} */ (find(root, "input"));
    this.button.onclick = () => this.input.click();
  }

  /** @param {Component<DataFileData>} component */
  receive({ data, setTriggerValue }) {
    this.button.textContent = data.label;
    this.input.accept = data.accept;
    this.input.onchange = async () => {
      const file = this.input.files?.[0];
      if (!file) return;
      this.input.value = ""; // the same file can be chosen again
      const bytes = new Uint8Array(await file.slice(0, data.most).arrayBuffer());
      const cut = file.size > data.most;
      const text = textOf(cut ? wholeRecords(bytes, file.name) : bytes, data.most);
      setTriggerValue("chosen", { name: file.name, text, cut });
    };
  }
}

/**
 * @param {Uint8Array} bytes the first part of a file
 * @param {string} name of the file
 * @returns {Uint8Array} its whole lines; of a CoNLL-U file its whole sentences
 */
export function wholeRecords(bytes, name) {
  let end = bytes.lastIndexOf(LINE);
  const isBlank = () => bytes[end - (bytes[end - 1] === RETURN ? 2 : 1)] === LINE;
  if (name.toLowerCase().endsWith(".conllu"))
    while (end > 0 && !isBlank()) end = bytes.lastIndexOf(LINE, end - 1);
  return bytes.subarray(0, Math.max(end, 0));
}

/**
 * @param {Uint8Array} bytes
 * @param {number} most bytes that are read
 * @returns {string | null} the text, or null if the bytes are not UTF-8 or mostly control characters
 */
export function textOf(bytes, most) {
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    return JSON.stringify(text).length > ESCAPED * most ? null : text;
  } catch {
    return null;
  }
}

/**
 * @param {Component<DataFileData>} component
 * @returns {() => void}
 */
export default function (component) {
  return mount(component, ".data-file", DataFile);
}
