// A description in the metadata of a PNG file, where viz/paper/sheet.py also writes and reads it.

const HEADER = 33; // bytes of the signature and the first chunk, after which others can follow

/** A PNG file with a text. @param {string} url data URL of the file @param {string} text JSON */
export function described(url, text) {
  const file = Uint8Array.from(atob(url.slice(url.indexOf(",") + 1)), code);
  // The chunk has Latin letters only; JSON can write others as escapes.
  const ascii = text.replace(/[^ -~]/g, (letter) => {
    return `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`;
  });
  const content = Uint8Array.from(`tEXtDescription\0${ascii}`, code);
  const chunk = new DataView(new ArrayBuffer(content.length + 8));
  chunk.setUint32(0, content.length - 4); // without the type
  new Uint8Array(chunk.buffer).set(content, 4);
  chunk.setUint32(content.length + 4, checksum(content));
  const made = new Uint8Array(file.length + chunk.byteLength);
  made.set(file.subarray(0, HEADER));
  made.set(new Uint8Array(chunk.buffer), HEADER);
  made.set(file.subarray(HEADER), HEADER + chunk.byteLength);
  return made;
}

/** @param {string} letter */
function code(letter) {
  return letter.charCodeAt(0);
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
