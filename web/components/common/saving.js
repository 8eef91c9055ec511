// Download of files that the browser creates.

const NOT_XML = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu;
const HEADER = 33; // bytes of a PNG file's signature and first chunk, after which others can follow

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

/** With a text for viz/paper/sheet.py. @param {string} url with data @param {string} text JSON */
export function describedPng(url, text) {
  const letters = atob(url.slice(url.indexOf(",") + 1));
  const file = Uint8Array.from(letters, (letter) => letter.charCodeAt(0));
  // The chunk has Latin letters only; JSON can write others as escapes.
  const ascii = text.replace(/[^ -~]/g, (letter) => {
    return `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`;
  });
  const content = new TextEncoder().encode(`tEXtDescription\0${ascii}`);
  const chunk = new DataView(new ArrayBuffer(content.length + 8));
  chunk.setUint32(0, content.length - 4); // without the type
  new Uint8Array(chunk.buffer).set(content, 4);
  chunk.setUint32(content.length + 4, checksum(content));
  return new Blob([file.subarray(0, HEADER), chunk, file.subarray(HEADER)]);
}

/** @param {Uint8Array} bytes @returns {number} CRC-32, as in appendix D of the PNG specification */
function checksum(bytes) {
  let sum = -1;
  for (const byte of bytes) {
    sum ^= byte;
    for (let bit = 0; bit < 8; bit++) sum = (sum >>> 1) ^ (sum & 1 ? 0xedb88320 : 0);
  }
  return ~sum >>> 0;
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

/** @returns {Map<string, About>} origin of the numbers of each figure, by the key of its chart */
export function aboutFigures() {
  return (window.headlightAbout ??= new Map());
}
