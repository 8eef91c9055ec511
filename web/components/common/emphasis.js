// Sentences with *emphasised* words. Text only ever becomes textContent.

import { element } from "./element.js";

// An asterisk between spaces or in quotes is a token or a product. Chinese writes no space after a mark.
const EMPHASISED = /(?<![^\s(，。：；？！、（])\*([^\s*](?:[^*]*[^\s*])?)\*(?![\p{L}\p{N}*])/u;

/** @param {string} text @returns {(string | Node)[]} */
export function emphasised(text) {
  return text.split(EMPHASISED).map((part, i) => (i % 2 ? element("em", "", part) : part));
}
