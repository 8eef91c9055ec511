// Preview of a heatmap until Plotly is loaded: the same cells at the same place.

import { context2d } from "../common/canvas.js";

/**
 * @param {ChartHeader["figure"]} figure
 * @param {number} width of the figure, in pixels
 * @returns {HTMLCanvasElement | undefined} undefined if Plotly's layout of the figure cannot be
 *   predicted
 */
export function preview({ data: [heatmap, ...others], layout }, width) {
  const { margin, height, shapes } = layout;
  const plain = heatmap?.type === "heatmap" && !others.length && !shapes?.length;
  if (!plain || margin?.autoexpand !== false || !heatmap.z.bdata) return undefined;
  const [rows, columns] = heatmap.z.shape.split(",").map(Number);
  const room = [width - margin.l - margin.r, height - margin.t - margin.b];
  if (Math.min(...room) <= 0) return undefined;
  const canvas = document.createElement("canvas");
  canvas.className = "preview";
  Object.assign(canvas.style, { width: `${room[0]}px`, height: `${room[1]}px` });
  canvas.style.margin = `${margin.t}px ${margin.r}px ${margin.b}px ${margin.l}px`;
  const density = window.devicePixelRatio;
  [canvas.width, canvas.height] = room.map((side) => Math.round(side * density));
  const ink = context2d(canvas);
  ink.scale(canvas.width / columns, canvas.height / rows);
  // A gap is in pixels of the page; here the unit is a cell.
  const [across, down] = [columns / room[0], rows / room[1]].map((pixel) => pixel * heatmap.xgap);
  const { zmin, zmax, colorscale } = heatmap;
  numbersOf(heatmap.z.bdata).forEach((value, at) => {
    if (Number.isNaN(value)) return;
    ink.fillStyle = colourAt(colorscale, (value - zmin) / (zmax - zmin));
    const [row, column] = [Math.floor(at / columns), at % columns];
    ink.fillRect(column + across / 2, row + down / 2, 1 - across, 1 - down);
  });
  return canvas;
}

/**
 * @param {string} bytes of a float32 array in base64, as plotly.py encodes it
 * @returns {Float32Array}
 */
export function numbersOf(bytes) {
  const binary = atob(bytes);
  return new Float32Array(Uint8Array.from(binary, (letter) => letter.charCodeAt(0)).buffer);
}

/**
 * @param {[number, string][]} scale stops from 0 to 1, each a colour in rgb or rgba
 * @param {number} at clamped to the range from 0 to 1
 * @returns {string} the colour, interpolated between two stops as in Plotly
 */
export function colourAt(scale, at) {
  const place = Math.min(Math.max(at, 0), 1);
  const next = Math.max(
    1,
    scale.findIndex(([stop]) => stop >= place),
  );
  const [[from, low], [to, high]] = scale.slice(next - 1, next + 1);
  const share = (place - from) / (to - from);
  const [start, end] = [low, high].map((colour) => (colour.match(/[\d.]+/g) ?? []).map(Number));
  const mixed = start.map((part, i) => part + share * ((end[i] ?? 1) - part));
  return `rgba(${mixed.slice(0, 3).map(Math.round).join(", ")}, ${mixed[3] ?? 1})`;
}
