// Typed access to elements, and to fields without an initial value.

/**
 * @template {Element} [Found=HTMLElement]
 * @param {ParentNode} root
 * @param {string} selector
 * @param {new () => Found} [type] class of the element; HTMLElement by default
 * @returns {Found} the first element that matches
 * @throws {Error} if there is none, or if it has another class
 */
export function find(root, selector, type) {
  const found = root.querySelector(selector);
  const expected = type ?? HTMLElement;
  if (!(found instanceof expected)) throw new Error(`${selector}: not an ${expected.name}`);
  return /** @type {Found} */ (found);
}

/** @param {ParentNode} root @param {string} selector @returns {HTMLElement[]} */
export function findAll(root, selector) {
  return [.../** @type {NodeListOf<HTMLElement>} */ (root.querySelectorAll(selector))];
}

/** @returns {any} undefined, for a field that `receive` sets before another method reads it */
export function unset() {
  return undefined;
}

/** In the document or shadow root of a node. @param {Node} node @returns {HTMLElement | null} */
export function focusedElement(node) {
  const root = /** @type {Document | ShadowRoot} */ (node.getRootNode());
  return /** @type {HTMLElement | null} */ (root.activeElement);
}
