// Elements with content. Text of the user only becomes a text node.

/**
 * @template {keyof HTMLElementTagNameMap} Name
 * @param {Name} name
 * @param {string} [className]
 * @param {...(string | Node)} children
 */
export function element(name, className = "", ...children) {
  const made = document.createElement(name);
  made.className = className;
  made.append(...children);
  return made;
}

/** @param {string} className @param {string} text @param {() => void} act called by a click */
export function buttonOf(className, text, act) {
  const made = element("button", className, text);
  made.type = "button";
  made.onclick = act;
  return made;
}

const parsed = /** @type {Map<string, Node>} */ (new Map());

/** A copy, parsed as XML, which never runs a script. @param {string} mathml @returns {Node} */
export function formula(mathml) {
  let node = parsed.get(mathml);
  if (!node) {
    const found = new DOMParser().parseFromString(mathml, "application/xml");
    node = document.importNode(found.documentElement, true);
    parsed.set(mathml, node);
  }
  return node.cloneNode(true);
}
