// Elements, and the sentences of the component. User text only ever becomes a text node.

/** @type {Record<string, string>} */
let messages = {};

/** @param {Record<string, string>} sent the server's sentences, in the visitor's language */
export function setMessages(sent) {
  messages = sent;
}

/**
 * @param {string} key
 * @param {Record<string, any>} [values] for the {names} in the sentence
 * @returns {string} the sentence; "" for an unknown key
 */
export function message(key, values = {}) {
  return fill(messages[key] ?? "", values);
}

/** @param {string} text @param {Record<string, any>} values @returns {string} with its {names} filled in */
export function fill(text, values) {
  return text.replace(/\{(\w+)\}/g, (place, name) => String(values[name] ?? place));
}

/**
 * @param {string} selector tag name and classes, as in "div.actions"
 * @param {...any} content objects of properties, child nodes, texts, and lists of these; false, null
 *   and undefined add nothing; an unknown property is an attribute, or a CSS variable: "--name"
 * @returns {any} the new element
 */
export function build(selector, ...content) {
  const [tag, ...classes] = selector.split(".");
  const created = /** @type {any} */ (document.createElement(tag));
  created.classList.add(...classes);
  for (const part of content.flat(Infinity)) {
    if (part instanceof Node || typeof part === "string") created.append(part);
    else
      for (const [name, value] of Object.entries(part || {})) {
        if (name.startsWith("--")) created.style.setProperty(name, String(value));
        else if (name in created) created[name] = value;
        else created.setAttribute(name, value);
      }
  }
  return created;
}

/**
 * @param {string} label
 * @param {(event: any) => void} onclick
 * @param {Record<string, any>} [properties]
 * @returns {HTMLButtonElement}
 */
export function button(label, onclick, properties = {}) {
  return build("button", { type: "button", onclick, ...properties }, label);
}

/** @param {string} code of a room @returns {string} the code in groups of four digits */
export function formatCode(code) {
  return code.replace(/(.{4})(?=.)/g, "$1 ");
}
