// The picture as a file: what it takes from the page's style is written into it.

import { paperColour, save } from "../common/saving.js";
import { shape } from "../common/svg.js";

/**
 * @param {SVGElement} svg on the page
 * @param {string} file its name, without the ending
 */
export function saveSvg(svg, file) {
  const copy = /** @type {SVGElement} */ (svg.cloneNode(true));
  const { color } = getComputedStyle(svg);
  const looks = { color, "font-family": "sans-serif", "text-anchor": "middle" };
  for (const [name, value] of Object.entries(looks)) copy.setAttribute(name, value);
  copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  copy.prepend(shape("rect", { width: "100%", height: "100%", fill: paperColour() }));
  save(`${file}.svg`, "image/svg+xml", new XMLSerializer().serializeToString(copy));
}
