// What viz/canvas.py packed: a JSON header, then weights as whole ten-thousandths in 16 bits.

/**
 * @template Header
 * @param {Uint8Array} bytes
 * @returns {Header & Cells}
 */
export function unpack(bytes) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const length = view.getUint32(0, true);
  const header = new TextDecoder().decode(bytes.subarray(4, 4 + length));
  const body = bytes.slice(4 + length); // a copy: 16-bit views must start at an even address
  return { ...JSON.parse(header), cells: new Uint16Array(body.buffer) };
}
