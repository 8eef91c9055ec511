// Sentences that follow each other, as a language joins them.

/** @param {(string | false | undefined)[]} parts @returns {string} without spaces beside Chinese marks */
export function sentences(parts) {
  const text = parts.filter(Boolean).join(" ");
  return text.replace(/(?<=[。：）]) | (?=（)/g, "");
}
