// Sentences of the server with names in braces.

import { element } from "./element.js";

/** @param {string} text @param {Record<string, string>} names @returns {string} */
export function filled(text, names) {
  return text.replace(/\{(\w+)\}/g, (_, name) => names[name]);
}

/**
 * @param {string} text
 * @param {Record<string, string>} names
 * @returns {(string | Node)[]} the text, with the names in bold; their classes say what they name
 */
export function emphasised(text, names) {
  const parts = text.split(/\{(\w+)\}/);
  return parts.map((part, i) => (i % 2 ? element("b", part, names[part]) : part));
}
