// Colours and fonts of a figure, from the theme of the page. viz does not know the theme.

import { presenting } from "../common/stage.js";

// THEME_TEXT and THEME_PAPER in viz/style/theme.py.
const TEXT = "#000037";
const PAPER = "#000038";

// Colours of axis names and grid lines.
const GREYS = {
  light: { names: "#5d6172", grid: "#e6eaf1" },
  dark: { names: "#e6eaf1", grid: "#31333f" },
};

const SMALL = 0.75; // size of the smallest type, in that of the page

/** @param {Element} element of the page @param {number} [least] pixels of the smallest type */
export function paletteOf(element, least = 0) {
  const style = getComputedStyle(element);
  const read = (/** @type {string} */ name) => style.getPropertyValue(`--st-${name}`).trim();
  const paper = read("background-color") || "#ffffff";
  const text = read("text-color") || "#262730";
  return {
    text,
    paper,
    border: read("border-color") || "#c3c8d8",
    font: read("font") || "sans-serif",
    base: Math.max(parseFloat(read("base-font-size")) || 16, least / SMALL),
    colourway: read("chart-categorical-colors").split(",").filter(Boolean),
    ...GREYS[isDark(paper) ? "dark" : "light"],
    ...(presenting() && { names: text }), // a projector has less contrast
  };
}

/** @param {string} colour as #rrggbb */
export function isDark(colour) {
  const [red, green, blue] = [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16));
  return 0.299 * red + 0.587 * green + 0.114 * blue < 128;
}

/** @typedef {ReturnType<typeof paletteOf>} Palette */

/** @param {Palette} palette @returns {object} Plotly template: the defaults of a figure */
export function templateOf({ text, paper, border, font, base, colourway, names, grid }) {
  const [small, medium] = [SMALL * base, 0.875 * base];
  const named = { color: names, size: small };
  const titled = { color: names, size: medium };
  const axis = {
    zerolinecolor: grid,
    gridcolor: grid,
    tickcolor: grid,
    minor: { gridcolor: grid },
    tickfont: named,
    automargin: true,
  };
  return {
    layout: {
      colorway: colourway,
      font: { ...named, family: font, weight: 400 },
      title: {
        font: { size: base, family: font, color: text, weight: 700 },
        subtitle: { font: { family: font, color: names, weight: 400 } },
        pad: { l: base / 4 },
        xanchor: "left",
        x: 0,
      },
      legend: { title: { font: named, side: "top" }, font: { size: small, color: text } },
      paper_bgcolor: paper,
      plot_bgcolor: paper,
      xaxis: {
        ...axis,
        showgrid: false,
        zeroline: false,
        title: { font: titled, standoff: 1.25 * base },
      },
      yaxis: { ...axis, title: { font: titled, standoff: 1.5 * base } },
      margin: { pad: base / 2, r: 0, l: 0 },
      hoverlabel: { bgcolor: paper, bordercolor: border, font: { ...named, family: font } },
    },
  };
}

/**
 * Copy a figure, and replace the placeholders of viz by the theme's colours. Only properties whose
 * name ends with "color" are replaced, because a token may be equal to a placeholder. `least`:
 * pixels of the smallest type.
 *
 * @type {<Part>(part: Part, palette: Pick<Palette, "text" | "paper">, least?: number) => Part}
 */
export function coloured(part, palette, least = 0) {
  if (Array.isArray(part)) {
    const plain = typeof part[0] !== "object" && !Array.isArray(part[0]);
    return /** @type {any} */ (plain ? part : part.map((each) => coloured(each, palette, least)));
  }
  if (part === null || typeof part !== "object") return part;
  /** @type {Record<string, string>} */
  const themed = { [TEXT]: palette.text, [PAPER]: palette.paper };
  const of = (/** @type {[string, any]} */ [name, value]) => {
    if (typeof value === "string" && name.endsWith("color")) return [name, themed[value] ?? value];
    const made = coloured(value, palette, least);
    return [name, name.endsWith("font") && made?.size < least ? { ...made, size: least } : made];
  };
  return /** @type {any} */ (Object.fromEntries(Object.entries(part).map(of)));
}
