// Elements in few words. What is put into them is text, whoever typed it.

/**
 * @param {string} tag
 * @param {Record<string, any>} [properties] of the element; what it has no property for, and names
 *   with a hyphen, are attributes
 * @param {...(Node | string)} children
 * @returns {any} the element
 */
export function make(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (name in element) element[name] = value;
    else element.setAttribute(name, value);
  }
  element.append(...children);
  return element;
}

/**
 * @param {string} text
 * @param {() => void} onclick
 * @param {Record<string, any>} [properties]
 * @returns {HTMLButtonElement}
 */
export function pressed(text, onclick, properties = {}) {
  return make("button", { type: "button", onclick, ...properties }, text);
}

/**
 * @param {string} template a sentence of the server's with named places
 * @param {Record<string, string | number>} values what stands there
 */
export function say(template, values) {
  return template.replace(/\{(\w+)\}/g, (whole, name) => String(values[name] ?? whole));
}

/**
 * @param {number} layer
 * @param {number} head
 */
export function headName(layer, head) {
  return `L${layer}·H${head}`;
}

/**
 * @param {string} code of a room
 * @returns {string} the same, as it is read aloud
 */
export function spelled(code) {
  return code.replace(/(.{4})(?=.)/g, "$1 ");
}
