// Sentences of the server with names in braces.

/** @param {string} text @param {Record<string, string>} names @returns {string} */
export function filled(text, names) {
  return text.replace(/\{(\w+)\}/g, (_, name) => names[name]);
}

/**
 * @param {string} text
 * @param {Record<string, string>} names
 * @returns {(string | Node)[]} the text, with the names in bold
 */
export function emphasised(text, names) {
  return text.split(/\{(\w+)\}/).map((part, i) => {
    if (i % 2 === 0) return part;
    const bold = document.createElement("b");
    bold.textContent = names[part];
    return bold;
  });
}
