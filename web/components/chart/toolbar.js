// Buttons that are added to Plotly's toolbar: downloads.

import { element } from "../common/element.js";
import { findAll } from "../common/find.js";
import { roving } from "../common/roving.js";
import {
  aboutFigures,
  describedPng,
  describedSvg,
  escaped,
  paperColour,
  save,
} from "../common/saving.js";
import { numbers, table } from "./table.js";

/**
 * @param {PlotlyLibrary} plotly
 * @param {ChartHeader} header of the first figure; later ones have the same traces
 * @param {() => ChartHeader} shown the shown figure
 * @returns {object} Plotly's configuration of the figure
 */
export function configured(plotly, { strings, figure }, shown) {
  /** @type {(format: "png" | "svg") => (chart: PlotlyChart) => Promise<void>} */
  const picture = (format) => async (chart) => {
    const header = shown();
    const { clientWidth: width, clientHeight: height } = chart;
    const url = await plotly.toImage(withNumbers(chart), { format, width, height, scale: 3 });
    const [file, origin] = [`${header.file}.${format}`, originOf(header)];
    if (format === "png") return save(file, "image/png", describedPng(url, JSON.stringify(origin)));
    const drawn = decodeURIComponent(url.slice(url.indexOf(",") + 1));
    save(file, "image/svg+xml", describedSvg(drawn, origin));
  };
  // Plotly draws a heatmap into an SVG as a bitmap. The Export button draws its vectors.
  const vectors = figure.data.every(({ type }) => type !== "heatmap");
  const text = (/** @type {string} */ word) => () => element("span", "", word);
  /** @type {(name: string, title: string, icon: object, click: (chart: PlotlyChart) => unknown) => object} */
  const button = (name, title, icon, click) => ({ name, title, icon, click, attr: name });
  const dictionary = {
    "Reset axes": strings.reset,
    "Double-click to zoom back out": strings.zoom_back,
  };
  return {
    locale: "page", // Plotly's own words, in the reader's language
    locales: { page: { dictionary } },
    displaylogo: false,
    showSendToCloud: false,
    // A drag zooms, and a double click shows all again: beside more buttons, no title fits.
    modeBarButtonsToRemove: [
      "toImage",
      "lasso2d",
      "select2d",
      "autoScale2d",
      "zoom2d",
      "pan2d",
      "zoomIn2d",
      "zoomOut2d",
    ],
    modeBarButtonsToAdd: [
      button("png", strings.png, plotly.Icons.camera, picture("png")),
      ...(vectors ? [button("svg", strings.svg, text("SVG"), picture("svg"))] : []),
      button("csv", strings.csv, text("CSV"), (chart) => {
        const { file } = shown();
        save(`${file}.csv`, "text/csv", table(chart, strings));
      }),
      button("html", strings.html, text("HTML"), async (chart) => {
        const header = shown();
        save(`${header.file}.html`, "text/html", await pageOf(chart, header));
      }),
    ],
  };
}

/** Make the toolbar one tab stop, also where Plotly has replaced it. @param {HTMLElement} root */
export function oneStop(root) {
  const bar = /** @type {HTMLElement} */ (root.querySelector(".modebar"));
  if (!bar) return;
  const settle = settled.get(bar) ?? roving(bar, () => findAll(bar, "button"));
  settled.set(bar, settle);
  settle();
}

const settled = /** @type {WeakMap<Element, () => void>} */ (new WeakMap());

/** With the properties that the page draws without Plotly. @param {PlotlyChart} chart */
function withNumbers({ data, layout }) {
  return { data: data.map((trace) => ({ ...trace, ...trace.meta })), layout };
}

/** Where the numbers come from; an Export menu states the model. @param {ChartHeader} header */
function originOf({ key, about }) {
  return { ...about, link: window.location.href, ...aboutFigures().get(key) };
}

/** An HTML page that needs no network. @param {PlotlyChart} chart @param {ChartHeader} header */
async function pageOf(chart, header) {
  const plotly = await (await fetch(header.plotly)).text();
  const origin = JSON.stringify(originOf(header));
  const { data, layout } = withNumbers(chart);
  const whole = { data, layout: { ...layout, width: undefined } };
  const figure = JSON.stringify(whole, (_, value) => numbers(value));
  const safe = figure.replaceAll("<", "\\u003c"); // a token cannot end the script
  return `<!doctype html><html><head><meta charset="utf-8"><title>${header.file}</title>
<meta name="description" content="${escaped(origin)}"></head>
<body style="margin:0;background:${paperColour()}"><div id="figure"></div>
<script>${plotly}</script>
<script>const figure = ${safe};
Plotly.newPlot("figure", figure.data, figure.layout, { responsive: true });</script></body></html>`;
}
