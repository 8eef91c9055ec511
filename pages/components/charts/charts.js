// What every Plotly chart of the product gets: buttons for SVG, CSV and a page of its own beside
// Plotly's PNG button, and no numbers in cells that are too small to be read.
//
// All of it is made here in the browser, from what is drawn: the server is not asked.

import { mount } from "../common/mount.js";
import { onChange, onCharts } from "../common/plotly.js";
import { roving } from "../common/roving.js";
import { paperColour, save } from "../common/saving.js";

// What a spreadsheet takes for a formula; a number is none. As pages/shared/tables.py has it.
const FORMULA = /^(?![-+]?\d+(\.\d+)?$)[=+\-@\t\r\n＝＋－＠]/;

const READABLE = 7; // pixels: smaller numbers in the cells are noise, and hovering shows them

/**
 * @typedef {{ svg: string, csv: string, html: string, corner: string, curve: string }} ChartStrings
 */

/** @implements {Drawing<ChartStrings>} */
class Charts {
  /**
   * @param {HTMLElement} _root
   * @param {AbortSignal} signal
   */
  constructor(_root, signal) {
    this.signal = signal;
  }

  /** @param {Component<ChartStrings>} component */
  receive({ data }) {
    const first = !this.strings;
    this.strings = data;
    if (first) this.watch();
  }

  watch() {
    // Plotly draws its toolbar anew with every change of a chart.
    onChange(() => this.addMissing(), this.signal);
    const meet = (chart, listen) => {
      listen("plotly_afterplot", () => hideUnreadable(chart));
      hideUnreadable(chart);
    };
    onCharts(".js-plotly-plot", meet, this.signal);
  }

  addMissing() {
    for (const chart of /** @type {NodeListOf<PlotlyChart>} */ (
      document.querySelectorAll(".js-plotly-plot")
    )) {
      const bar = chart.querySelector(".modebar");
      if (bar && !bar.querySelector("[data-headlight]")) this.addButtons(bar, chart);
    }
  }

  /**
   * @param {Element} bar
   * @param {PlotlyChart} chart
   */
  addButtons(bar, chart) {
    /** @type {HTMLElement} */
    const camera = bar.querySelector('[data-attr="toImage"], [data-title^="Download"]');
    if (!camera) return;
    const options = chart._context.toImageButtonOptions;
    camera.addEventListener("click", () => opaque(chart), true);
    const picture = () => {
      // Plotly's toolbar saves one format; this saves the other, through the same code.
      const format = options.format;
      options.format = "svg";
      camera.dispatchEvent(new MouseEvent("click"));
      options.format = format;
    };
    const words = this.strings;
    const { svg, csv, html } = words;
    camera.parentElement.append(
      button("SVG", "svg", svg, picture),
      button("CSV", "csv", csv, () =>
        save(`${options.filename}.csv`, "text/csv", table(chart, words)),
      ),
      button("HTML", "html", html, async () => {
        save(`${options.filename}.html`, "text/html", await page(chart, options.filename));
      }),
    );
    roving(/** @type {HTMLElement} */ (bar), () => [
      .../** @type {NodeListOf<HTMLElement>} */ (bar.querySelectorAll(".modebar-btn")),
    ]);
  }
}

/**
 * @param {string} text
 * @param {string} kind
 * @param {string} title
 * @param {() => void} onclick
 */
function button(text, kind, title, onclick) {
  const made = document.createElement("button");
  made.type = "button";
  made.className = "modebar-btn";
  made.dataset.headlight = kind;
  made.dataset.title = title;
  made.setAttribute("aria-label", title);
  made.textContent = text;
  made.style.cssText =
    "font-size:10px;font-weight:600;cursor:pointer;padding:3px 4px;color:inherit";
  made.onclick = onclick;
  return made;
}

/**
 * On the page a chart is transparent; a picture of it must not be, or light text stands on paper.
 * Plotly copies the layout when it is asked for the picture.
 *
 * @param {PlotlyChart} chart
 */
function opaque(chart) {
  const before = chart.layout.paper_bgcolor;
  chart.layout.paper_bgcolor = paperColour();
  setTimeout(() => {
    chart.layout.paper_bgcolor = before;
  }, 0);
}

/**
 * @param {any} row
 * @returns {any} an array where Plotly keeps numbers in bytes; anything else as it is
 */
function numbers(row) {
  return ArrayBuffer.isView(row) ? Array.from(/** @type {Float64Array} */ (row)) : row;
}

/**
 * @param {unknown} value
 * @returns {unknown} a float32 in as few digits as bring it back; anything else as it is
 */
export function shortest(value) {
  if (typeof value !== "number" || Math.fround(value) !== value) return value;
  let short = value;
  for (let digits = 6; digits <= 9; digits++) {
    short = Number(value.toPrecision(digits));
    if (Math.fround(short) === value) break; // nine digits always do
  }
  return short;
}

/**
 * Tokens are HTML to Plotly; in a file they are what was typed. The parser's document is inert.
 *
 * @param {unknown} label
 * @returns {unknown}
 */
function typed(label) {
  if (typeof label !== "string" || !/[<&]/.test(label)) return label;
  return new DOMParser().parseFromString(label, "text/html").body.textContent;
}

/**
 * @param {unknown} value
 * @returns {string} as a field of a CSV file; text that a spreadsheet would take for a formula
 *   has an apostrophe before it, as OWASP's "CSV Injection" says
 */
export function quoted(value) {
  // A cell that a mask hides has no number.
  const nothing = value === null || value === undefined || Number.isNaN(value);
  let text = nothing ? "" : String(value);
  if (typeof value === "string" && FORMULA.test(text)) text = `'${text}`;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/**
 * @param {Pick<PlotlyChart, "_fullData">} chart
 * @param {{ corner: string, curve: string }} words of the table's head
 * @returns {string} CSV: a heatmap as a table, rows and columns as drawn; curves as one row for
 *   each point
 */
export function table(chart, { corner, curve }) {
  const traces = chart._fullData;
  const rows = [];
  const heatmap = traces.find((trace) => trace.type === "heatmap");
  if (heatmap) {
    const columns = numbers(heatmap.x ?? heatmap.z[0].map((_, i) => i));
    rows.push([corner, ...columns.map(typed).map(shortest)]);
    heatmap.z.forEach((values, i) => {
      const name = heatmap.y ? typed(heatmap.y[i]) : i;
      rows.push([name, ...numbers(values).map(shortest)]);
    });
  } else {
    rows.push([curve, "x", "y"]);
    for (const { name, x, y } of traces)
      numbers(x).forEach((at, i) =>
        rows.push([typed(name), shortest(typed(at)), shortest(numbers(y)[i])]),
      );
  }
  return rows.map((row) => row.map(quoted).join(",")).join("\r\n") + "\r\n";
}

/**
 * @param {PlotlyChart} chart
 * @param {string} title
 * @returns {Promise<string>} the chart in a page of its own, Plotly inside: it opens anywhere, with
 *   no network
 */
async function page(chart, title) {
  const plotly = await (await fetch("/api/plotly.js")).text();
  const layout = { ...chart.layout, paper_bgcolor: paperColour(), width: undefined };
  const figure = JSON.stringify({ data: chart.data, layout }, (_, value) => numbers(value));
  const safe = figure.replaceAll("<", "\\u003c"); // no text of a token ends the script
  return `<!doctype html><html><head><meta charset="utf-8"><title>${title}</title></head>
<body style="margin:0;background:${paperColour()}"><div id="figure"></div>
<script>${plotly}</script>
<script>const figure = ${safe};
Plotly.newPlot("figure", figure.data, figure.layout, { responsive: true });</script></body></html>`;
}

/** @param {PlotlyChart} chart */
function hideUnreadable(chart) {
  for (const group of /** @type {NodeListOf<SVGElement>} */ (
    chart.querySelectorAll(".heatmap-label")
  )) {
    const text = group.querySelector("text");
    const small = text && parseFloat(text.style.fontSize) < READABLE;
    group.style.visibility = small ? "hidden" : "";
  }
}

/**
 * @param {Component<ChartStrings>} component
 * @returns {() => void}
 */
export default function (component) {
  return mount(component, "span", Charts);
}
