// Colours in the notations that viz uses.

/** @param {string} css @returns {{ rgb: Rgb, alpha: string | undefined }} */
export function colourOf(css) {
  if (css.startsWith("#")) {
    const at = (/** @type {number} */ place) => parseInt(css.slice(place, place + 2), 16);
    return { rgb: [at(1), at(3), at(5)], alpha: undefined };
  }
  const [red, green, blue, alpha] = css.replace(/^[^(]*\(|\)$/g, "").split(",");
  return { rgb: [Number(red), Number(green), Number(blue)], alpha: alpha?.trim() };
}
