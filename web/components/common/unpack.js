// Decoder for the payloads of viz/canvas.py: a JSON header, then weights as 16-bit integers.
// The low bytes of all weights come before the high bytes.

/**
 * @template Header
 * @param {Uint8Array} bytes
 * @returns {Header & Cells}
 */
export function unpack(bytes) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const length = view.getUint32(0, true);
  const header = new TextDecoder().decode(bytes.subarray(4, 4 + length));
  const body = bytes.subarray(4 + length);
  const cells = new Uint16Array(body.length / 2);
  for (let i = 0; i < cells.length; i++) cells[i] = body[i] | (body[cells.length + i] << 8);
  return { ...JSON.parse(header), cells };
}
