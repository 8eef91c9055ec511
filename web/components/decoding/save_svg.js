// Download of a picture as SVG. Styles that the picture takes from the page become attributes.

import { paperColour, save } from "../common/saving.js";
import { shape } from "../common/svg.js";

/**
 * @param {SVGElement} svg
 * @param {HTMLElement} host element whose text colour the picture has
 * @param {string} file its name, without the ending
 */
export function saveSvg(svg, host, file) {
  const copy = /** @type {SVGElement} */ (svg.cloneNode(true));
  const { color } = getComputedStyle(host);
  const style = { color, "font-family": "sans-serif", "text-anchor": "middle" };
  for (const [name, value] of Object.entries(style)) copy.setAttribute(name, value);
  copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  copy.prepend(shape("rect", { width: "100%", height: "100%", fill: paperColour() }));
  save(`${file}.svg`, "image/svg+xml", new XMLSerializer().serializeToString(copy));
}
