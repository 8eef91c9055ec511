// A QR code, drawn from the data that web/server/qr.py makes of a text.

import { shape } from "./svg.js";

/** @param {SVGElement} svg an empty one, which gets the code @param {Qr} code */
export function drawQr(svg, { size, path }) {
  svg.setAttribute("viewBox", `0 0 ${size} ${size}`);
  // Dark on light in every theme: many readers expect it.
  const paper = shape("rect", { width: size, height: size, fill: "#ffffff" });
  const dark = shape("path", { d: path, stroke: "#000000", "shape-rendering": "crispEdges" });
  svg.replaceChildren(paper, dark);
}
