// Colours with enough contrast for a projector: at least 7:1 to the page, as defined by WCAG 2.2.

import { presenting } from "./stage.js";

const ENOUGH = 7;
const DARK_RED = /** @type {Rgb} */ ([130, 0, 0]);
const COLOUR = /^(?:#[0-9a-f]{6}|rgba?\([\d., %]+\))$/i;

/** @param {Rgb} colour @returns {number} relative luminance, from 0 to 1 */
export function luminance(colour) {
  const [red, green, blue] = colour.map((each) => {
    const share = each / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** @param {Rgb} one @param {Rgb} other @returns {number} from 1 to 21 */
export function contrast(one, other) {
  const [high, low] = [luminance(one), luminance(other)].sort((a, b) => b - a);
  return (high + 0.05) / (low + 0.05);
}

/**
 * @param {Rgb} colour
 * @param {Rgb} paper the background
 * @returns {Rgb} the nearest colour with enough contrast: darker on light paper, otherwise lighter.
 *   Orange becomes redder, because dark orange is brown.
 */
export function strong(colour, paper) {
  const end = endOf(colour, luminance(paper) > 0.2);
  for (let share = 0; share < 1; share += 0.02) {
    const mixed = colour.map((each, i) => Math.round(each + (end[i] - each) * share));
    if (contrast(/** @type {Rgb} */ (mixed), paper) >= ENOUGH) return /** @type {Rgb} */ (mixed);
  }
  return end;
}

/** @param {Rgb} colour @param {boolean} darker @returns {Rgb} the colour to mix with */
function endOf(colour, darker) {
  if (!darker) return [255, 255, 255];
  const hue = hueOf(colour);
  return hue > 24 && hue < 34 ? DARK_RED : [0, 0, 0]; // the side's orange: heads keep their colours
}

/**
 * @param {Rgb} colour
 * @returns {number} the angle of its hue, from red (0) to yellow (60); NaN for other hues and greys
 */
export function hueOf([red, green, blue]) {
  return red > blue && red >= green && green >= blue ? (60 * (green - blue)) / (red - blue) : NaN;
}

/**
 * @param {string} css a colour in a notation that viz uses
 * @param {string} paper the background, likewise
 * @returns {string} the strong colour with the same alpha; other notations are unchanged
 */
export function strongCss(css, paper) {
  if (!COLOUR.test(css)) return css;
  const { rgb, alpha } = colourOf(css);
  const [red, green, blue] = strong(rgb, colourOf(paper).rgb);
  return alpha === undefined
    ? `rgb(${red}, ${green}, ${blue})`
    : `rgba(${red}, ${green}, ${blue}, ${alpha})`;
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

/**
 * @param {Rgb} hue of a mark
 * @param {Element} element
 * @returns {Rgb} the same colour; during a presentation, one with enough contrast for a projector
 */
export function hueOn(hue, element) {
  if (!presenting()) return hue;
  const paper = getComputedStyle(element).getPropertyValue("--st-background-color").trim();
  return strong(hue, colourOf(paper || "#ffffff").rgb);
}
