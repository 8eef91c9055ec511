// Sentences with *emphasised* words. Text only ever becomes textContent.

/** @param {string} text @returns {(string | Node)[]} */
export function emphasised(text) {
  return text.split("*").map((part, index) => {
    if (index % 2 === 0) return part;
    const made = document.createElement("em");
    made.textContent = part;
    return made;
  });
}
