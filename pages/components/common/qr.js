// A QR code, drawn from the data that pages/shared/qr.py makes of a text.

import { shape } from "./svg.js";

/**
 * @param {SVGElement} svg an empty one, which gets the code
 * @param {Qr} code
 */
export function drawQr(svg, { size, path }) {
  svg.setAttribute("viewBox", `0 0 ${size} ${size}`);
  // Dark on light whatever the page's scheme: many readers know nothing else.
  const paper = shape("rect", { width: size, height: size, fill: "#ffffff" });
  const dark = shape("path", { d: path, stroke: "#000000", "shape-rendering": "crispEdges" });
  svg.replaceChildren(paper, dark);
}
