// Sentences with *emphasised* words. Text only ever becomes textContent.

import { element } from "./element.js";

// An asterisk between spaces or in quotes is a token or a product. Chinese writes no space after a mark.
const EMPHASISED = /(?<![^\s(，。：；？！、（])\*([^\s*](?:[^*]*[^\s*])?)\*(?![\p{L}\p{N}*])/u;

/** @param {string} text @returns {(string | Node)[]} */
export function emphasised(text) {
  const emphasise = (/** @type {string} */ part) => element("em", "", part);
  return text.split(EMPHASISED).map((part, index) => (index % 2 ? emphasise(part) : part));
}
