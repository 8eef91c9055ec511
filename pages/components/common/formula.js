// Formulas arrive as MathML. It is parsed as XML, which never runs a script.

/** @type {Map<string, Node>} */
const parsed = new Map();

/**
 * @param {string} mathml
 * @returns {Node} a new copy, for one place of the page
 */
export function formula(mathml) {
  if (!parsed.has(mathml)) {
    const found = new DOMParser().parseFromString(mathml, "application/xml");
    parsed.set(mathml, document.importNode(found.documentElement, true));
  }
  return parsed.get(mathml).cloneNode(true);
}
