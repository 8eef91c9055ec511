// Sentences of the server with names in braces.

import { element } from "./element.js";

/** @param {string} text @param {Record<string, string>} names @returns {string} */
export function filled(text, names) {
  return text.replace(/\{(\w+)\}/g, (_, name) => names[name]);
}

/** A term of the glossary, as web/widgets/glossary.py writes one. @param {string} name @param {string} meaning */
export function explained(name, meaning) {
  const term = element("a", "", name);
  term.setAttribute("href", "#term");
  term.title = meaning;
  return term;
}

/** @param {string} text of underline_terms in web/widgets/glossary.py @returns {(string | Node)[]} */
export function withTerms(text) {
  const parts = text.split(/\[((?:\[\w+\]|[^[\]])+)\]\(#term "([^"]*)"\)/);
  return parts.flatMap((part, i) =>
    i % 3 === 0 ? part : i % 3 === 1 ? explained(part, parts[i + 1].replaceAll("&quot;", '"')) : [],
  );
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
