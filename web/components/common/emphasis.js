// Sentences with *emphasised* words. Text only ever becomes textContent.

// An asterisk between spaces or in quotes is a token or a product.
const EMPHASISED = /(?<![^\s(])\*([^\s*](?:[^*]*[^\s*])?)\*(?![\p{L}\p{N}*])/u;

/** @param {string} text @returns {(string | Node)[]} */
export function emphasised(text) {
  return text.split(EMPHASISED).map((part, index) => {
    if (index % 2 === 0) return part;
    const made = document.createElement("em");
    made.textContent = part;
    return made;
  });
}
