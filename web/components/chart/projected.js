// A figure for a projector: strong colours, no small type, and no text that the caption repeats.

import { strongCss } from "../common/contrast.js";

const BAR = 600; // layout pixels: a narrower figure has no room for a colour bar
const NAMES = 12; // layout pixels of names and numbers
const SUBTITLE = 18; // height of the subtitle in pixels

/**
 * Copy a figure with strong colours and a minimum size of type.
 *
 * @param {ChartHeader["figure"]} figure in the theme's colours
 * @param {Pick<Palette, "text" | "paper">} palette
 * @param {number} least layout pixels of the smallest type
 * @param {number} width
 * @returns {ChartHeader["figure"]}
 */
export function projected({ data, layout }, { text, paper }, least, width) {
  const words = { color: text, size: Math.max(least, NAMES) };
  const shown = data.map((trace) => barred(trace, words, width));
  const axes = Object.keys(layout).filter((name) => /^[xy]axis\d*$/.test(name));
  const named = axes.map((name) => [name, axisOf(layout[name], words)]);
  const figure = {
    data: shown,
    layout: {
      ...layout,
      ...Object.fromEntries(named),
      ...untitled(layout, shown.some(({ showscale }) => showscale !== false) ? {} : { r: 12 }),
      hoverlabel: { font: { color: text, size: 15 } },
      ...(layout.legend && { legend: { ...layout.legend, font: words } }),
    },
  };
  return strengthened(figure, paper, least);
}

/** @typedef {{ color: string, size: number }} Words the type of names and numbers */

/**
 * Remove the subtitle, which is the sentence: the caption contains it.
 *
 * @param {{ title?: any, margin?: any }} layout
 * @param {{ r?: number }} unused smaller margins of a figure whose colour bar is not drawn
 */
function untitled({ title, margin }, unused) {
  const { subtitle, ...first } = title ?? {};
  if (!subtitle?.text) return { margin: { ...margin, ...unused } };
  return { title: first, margin: { ...margin, ...unused, t: margin.t - SUBTITLE } };
}

/** @param {any} axis @param {Words} words */
function axisOf(axis, words) {
  const tickfont = { ...words, ...axis.tickfont, color: words.color };
  return { ...axis, tickfont, title: titled(axis.title, words) };
}

/** @param {any} title @param {Words} words */
function titled(title, words) {
  return title && { ...title, font: { ...words, ...title.font, color: words.color } };
}

/**
 * @param {any} trace or its markers
 * @param {Words} words
 * @param {number} width of the figure
 * @returns {any}
 */
function barred(trace, words, width) {
  const { colorbar, marker, type } = trace;
  if (marker?.colorbar) return { ...trace, marker: barred(marker, words, width) };
  if (!colorbar) return trace;
  if (type === "heatmap" && width < BAR) return { ...trace, showscale: false };
  const tickfont = { ...words, ...colorbar.tickfont };
  return { ...trace, colorbar: { ...colorbar, tickfont, title: titled(colorbar.title, words) } };
}

/**
 * @template Part
 * @param {Part} part
 * @param {string} paper
 * @param {number} least
 * @param {string} [called]
 * @returns {Part}
 */
function strengthened(part, paper, least, called = "") {
  const colours = /color(scale|way)?$/.test(called);
  if (typeof part === "string") return /** @type {any} */ (colours ? strongCss(part, paper) : part);
  if (Array.isArray(part)) {
    if (!colours && typeof part[0] !== "object") return part;
    return /** @type {any} */ (part.map((each) => strengthened(each, paper, least, called)));
  }
  if (part === null || typeof part !== "object" || ArrayBuffer.isView(part)) return part;
  const of = (/** @type {[string, any]} */ [name, value]) => {
    if (name === "size" && /font$/.test(called)) return [name, Math.max(value, least)];
    return [name, strengthened(value, paper, least, name)];
  };
  return /** @type {Part} */ (Object.fromEntries(Object.entries(part).map(of)));
}
