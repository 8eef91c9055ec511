// A QR code, drawn from the data that web/server/qr.py makes of a text.

import { shape } from "./svg.js";

/**
 * @param {SVGElement} svg an empty one, which gets the code
 * @param {string} url of the endpoint @param {string} text
 * @returns {Promise<number>} the status of the response
 */
export async function drawQr(svg, url, text) {
  const response = await fetch(url, { method: "POST", body: text });
  if (!response.ok) return response.status;
  const { size, path } = await response.json();
  svg.setAttribute("viewBox", `0 0 ${size} ${size}`);
  // Dark on light in every theme: many readers expect it.
  const paper = shape("rect", { width: size, height: size, fill: "#ffffff" });
  const dark = shape("path", { d: path, stroke: "#000000", "shape-rendering": "crispEdges" });
  svg.replaceChildren(paper, dark);
  return response.status;
}
