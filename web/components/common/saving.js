// Download of files that the browser creates.

const NOT_XML = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu;

/** @param {string} name @param {string} type @param {BlobPart} content */
export function save(name, type, content) {
  // Spreadsheets recognise UTF-8 by the byte order mark.
  const parts = type === "text/csv" ? ["\ufeff", content] : [content];
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob(parts, { type }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

/** With metadata, which viz/paper/sheet.py reads. @param {string} svg @param {object} about */
export function describedSvg(svg, about) {
  const dc = 'xmlns:dc="http://purl.org/dc/elements/1.1/"';
  const said = `<dc:description ${dc}>${escaped(JSON.stringify(about))}</dc:description>`;
  const described = svg.replace(">", () => `><metadata>${said}</metadata>`); // said may contain $&
  return described.replaceAll(NOT_XML, "\ufffd"); // a token may be a control character
}

/** @param {string} text @returns {string} the text in XML or HTML, also in an attribute */
export function escaped(text) {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");
}

/** @returns {string} background of the page; on a transparent picture, light text is invisible */
export function paperColour() {
  const app = document.querySelector(".stApp") ?? document.body;
  return getComputedStyle(app).backgroundColor;
}
