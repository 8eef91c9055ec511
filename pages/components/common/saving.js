// Files that the browser makes itself.

/**
 * @param {string} name
 * @param {string} type
 * @param {string} text
 */
export function save(name, type, text) {
  const link = document.createElement("a");
  // The mark at the front tells spreadsheets that the file is UTF-8.
  const parts = type === "text/csv" ? ["\ufeff", text] : [text];
  link.href = URL.createObjectURL(new Blob(parts, { type }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

/** @returns {string} what the page is drawn on: transparent, a dark page's light text would stand on paper */
export function paperColour() {
  const app = document.querySelector(".stApp") ?? document.body;
  return getComputedStyle(app).backgroundColor;
}
