// Colours in the notations that viz uses.

/** @param {Rgb} colour @returns {number} relative luminance, from 0 to 1 */
export function luminance(colour) {
  const [red, green, blue] = colour.map((each) => {
    const share = each / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** @param {string} css @returns {{ rgb: Rgb, alpha: string | undefined }} */
export function colourOf(css) {
  if (css.startsWith("#")) {
    const at = (/** @type {number} */ place) => parseInt(css.slice(place, place + 2), 16);
    return { rgb: [at(1), at(3), at(5)], alpha: undefined };
  }
  const [red, green, blue, alpha] = css.replace(/^[^(]*\(|\)$/g, "").split(",");
  return { rgb: [Number(red), Number(green), Number(blue)], alpha: alpha?.trim() };
}
