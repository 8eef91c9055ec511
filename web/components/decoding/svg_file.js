// A picture as an SVG file. Styles that the picture takes from the page become attributes.

import { describedSvg, paperColour } from "../common/saving.js";
import { shape } from "../common/svg.js";

/**
 * @param {SVGElement} svg
 * @param {HTMLElement} host element whose text colour the picture has
 * @param {object} about where its numbers come from
 * @returns {string}
 */
export function svgFile(svg, host, about) {
  const copy = /** @type {SVGElement} */ (svg.cloneNode(true));
  const { color } = getComputedStyle(host);
  const style = { color, "font-family": "sans-serif", "text-anchor": "middle" };
  for (const [name, value] of Object.entries(style)) copy.setAttribute(name, value);
  copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  // Without a size, a browser draws an SVG file in a document with 150 pixels of height.
  copy.setAttribute("width", String(/** @type {SVGSVGElement} */ (svg).viewBox.baseVal.width));
  copy.prepend(shape("rect", { width: "100%", height: "100%", fill: paperColour() }));
  return describedSvg(new XMLSerializer().serializeToString(copy), about);
}
