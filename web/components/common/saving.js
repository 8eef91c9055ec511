// Download of files that the browser creates.

/**
 * @param {string} name
 * @param {string} type
 * @param {string} text
 */
export function save(name, type, text) {
  // Spreadsheets recognise UTF-8 by the byte order mark.
  const parts = type === "text/csv" ? ["\ufeff", text] : [text];
  const url = URL.createObjectURL(new Blob(parts, { type }));
  saveUrl(name, url);
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

/**
 * @param {string} name
 * @param {string} url of the content
 */
export function saveUrl(name, url) {
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
}

/**
 * @param {string} text
 * @returns {string} the text in XML or HTML, also in an attribute
 */
export function escaped(text) {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");
}

/** @returns {string} background of the page; on a transparent picture, light text is invisible */
export function paperColour() {
  const app = document.querySelector(".stApp") ?? document.body;
  return getComputedStyle(app).backgroundColor;
}
