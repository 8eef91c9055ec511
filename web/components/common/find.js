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

/** The focused element of a node's document or shadow root. @param {Node} node */
export function focusedElement(node) {
  const root = node.getRootNode();
  return root instanceof Document || root instanceof ShadowRoot ? root.activeElement : null;
}
