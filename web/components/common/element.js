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
