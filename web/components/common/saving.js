// Download of files that the browser creates.

/**
 * @param {string} name
 * @param {string} type
 * @param {string} text
 */
export function save(name, type, text) {
  const link = document.createElement("a");
  // Spreadsheets recognise UTF-8 by the byte order mark.
  const parts = type === "text/csv" ? ["\ufeff", text] : [text];
  link.href = URL.createObjectURL(new Blob(parts, { type }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

/** @returns {string} background of the page; on a transparent picture, light text is invisible */
export function paperColour() {
  const app = document.querySelector(".stApp") ?? document.body;
  return getComputedStyle(app).backgroundColor;
}
