// Provisional figure of a head that was selected in the browser. Its weights come from the
// overview, with four decimals. The server's figure replaces it.

import { MASKED, WHOLE } from "../common/scale.js";

const NAME = /L\d+·H\d+$/;

/**
 * @param {ChartHeader["figure"]} figure
 * @returns {string | undefined} the name of the figure's head, from its title
 */
export function headOf({ layout }) {
  return layout.title?.text?.match(NAME)?.[0];
}

/**
 * @param {ChartHeader["figure"]} figure
 * @returns {string} the labels of its columns and rows, as JSON
 */
export function tokensOf({ data: [heatmap] }) {
  return JSON.stringify([heatmap.x, heatmap.y]);
}

/**
 * @param {ChartHeader["figure"]} figure of another head
 * @param {string} name of the head
 * @param {Uint16Array} cells its weights by rows
 * @returns {ChartHeader["figure"] | undefined} the figure of this head; undefined if the number of
 *   cells differs
 */
export function figureOf({ data: [heatmap, ...others], layout }, name, cells) {
  const columns = heatmap.x?.length;
  if (heatmap.type !== "heatmap" || others.length || cells.length !== columns * heatmap.y.length)
    return undefined;
  const rows = Array.from({ length: heatmap.y.length }, (_, i) =>
    Array.from(cells.subarray(i * columns, (i + 1) * columns)),
  );
  const trace = {
    ...heatmap,
    z: rows.map((row) => row.map((cell) => (cell === MASKED ? null : cell / WHOLE))),
    hovertemplate: heatmap.hovertemplate.replace(".6f", ".4f"),
    ...(heatmap.text && { text: rows.map((row) => row.map(printed)) }),
  };
  const title = { ...layout.title, text: layout.title.text.replace(NAME, name) };
  return { data: [trace], layout: { ...layout, title } };
}

/**
 * @param {number} cell in ten-thousandths
 * @returns {string} the weight as viz prints it; "" if four decimals do not determine how the exact
 *   weight is rounded to two
 */
export function printed(cell) {
  if (cell === MASKED || cell < 100 || cell % 100 === 50) return "";
  const text = (Math.round(cell / 100) / 100).toFixed(2);
  return text === "1.00" ? "1.0" : text.slice(1);
}
