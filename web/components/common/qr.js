// A QR code, drawn from the data that web/server/qr.py makes of a text.

import { shape } from "./svg.js";

/**
 * Fill an empty SVG element with the code of a text.
 *
 * @type {(svg: SVGElement, url: string, text: string) => Promise<number | undefined>} returns the
 *   status of the response; undefined without a connection
 */
export async function drawQr(svg, url, text) {
  const response = await fetch(url, { method: "POST", body: text }).catch(() => undefined);
  if (!response?.ok) return response?.status;
  const { size, path } = await response.json(); // the dark modules are strokes of width 1
  svg.setAttribute("viewBox", `0 0 ${size} ${size}`);
  // Dark on light in every theme: many readers expect it.
  const paper = shape("rect", { width: size, height: size, fill: "#ffffff" });
  const dark = shape("path", { d: path, stroke: "#000000", "shape-rendering": "crispEdges" });
  svg.replaceChildren(paper, dark);
  return response.status;
}
