// Elements with content. Text of the user only becomes a text node.

/**
 * @param {string} name of the element
 * @param {string} className
 * @param {...(string | Node)} children
 * @returns {HTMLElement}
 */
export function element(name, className, ...children) {
  const made = document.createElement(name);
  made.className = className;
  made.append(...children);
  return made;
}
