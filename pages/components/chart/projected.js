// A figure for a projector: colours that it does not wash out, no small type, and nothing that the
// caption below it says as well.

import { strongCss } from "../common/contrast.js";

const BAR = 600; // pixels of a figure, as laid out, that has room for a colour bar
const NAMES = 12; // pixels of the type of names and numbers, as laid out
const SUBTITLE = 18; // pixels that it takes above the plot

/**
 * A copy of a figure with strong colours, and type of at least a size.
 *
 * @param {ChartHeader["figure"]} figure in the theme's colours
 * @param {Pick<Palette, "text" | "paper">} palette
 * @param {number} least pixels of type, as laid out
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
      ...untitled(layout),
      hoverlabel: { font: { color: text, size: 15 } },
      ...(layout.legend && { legend: { ...layout.legend, font: words } }),
    },
  };
  return strengthened(figure, paper, least);
}

/** The sentence is in the caption. */
function untitled({ title, margin }) {
  const { subtitle, ...kept } = title ?? {};
  if (!subtitle?.text) return {};
  return { title: kept, margin: { ...margin, t: margin.t - SUBTITLE } };
}

function axisOf(axis, words) {
  const tickfont = { ...words, ...axis.tickfont, color: words.color };
  return { ...axis, tickfont, title: titled(axis.title, words) };
}

function titled(title, words) {
  return title && { ...title, font: { ...words, ...title.font, color: words.color } };
}

function barred(trace, words, width) {
  const { colorbar, type } = trace;
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
  const of = ([name, value]) => {
    if (name === "size" && /font$/.test(called)) return [name, Math.max(value, least)];
    return [name, strengthened(value, paper, least, name)];
  };
  return /** @type {Part} */ (Object.fromEntries(Object.entries(part).map(of)));
}
