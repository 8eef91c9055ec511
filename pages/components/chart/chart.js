// A figure of viz, drawn by Plotly once for each change.
//
// Plotly is the one that the Python package brings, so a figure is the same here and in a notebook.
// Clicks and hovers are told to the other components as the event `headlight-point`.

import { mount } from "../common/mount.js";
import { plotly } from "./plotly.js";
import { coloured, paletteOf, templateOf } from "./theme.js";
import { configured, oneStop } from "./toolbar.js";

const READABLE = 7; // pixels: smaller numbers in the cells are noise, and hovering shows them
const LEAST_WIDTH = 150; // pixels: narrower, Plotly has no room for its margins

/** @implements {Drawing<Uint8Array>} */
class Chart {
  /**
   * @param {HTMLElement} root
   * @param {AbortSignal} signal
   */
  constructor(root, signal) {
    this.root = root;
    this.signal = signal;
    this.area = /** @type {PlotlyChart} */ (document.createElement("div"));
    /** @type {object | undefined} Plotly's configuration: there is one once a figure is drawn */
    this.config = undefined;
    const sized = new ResizeObserver(() => this.resize());
    sized.observe(root);
    signal.addEventListener("abort", () => {
      sized.disconnect();
      if (this.config) window.Plotly.purge(this.area);
    });
  }

  /** @param {Component<Uint8Array>} component */
  receive({ data, setTriggerValue }) {
    this.send = setTriggerValue;
    this.text = new TextDecoder().decode(data);
    /** @type {ChartHeader} */
    this.header = JSON.parse(this.text);
    this.root.setAttribute("aria-label", this.header.alt);
    if (!this.config) this.wait();
    // What comes while Plotly is on its way is drawn instead of what came before it.
    plotly(this.header.plotly).then((library) => this.draw(library));
  }

  wait() {
    const said = document.createElement("p");
    said.className = "waiting";
    said.textContent = this.header.strings.waiting;
    this.root.replaceChildren(said);
  }

  /** @param {PlotlyLibrary} library */
  draw(library) {
    const width = this.width();
    if (this.signal.aborted || !width) return; // with a width, it is drawn by `resize`
    const palette = paletteOf(this.root);
    const template = templateOf(palette);
    const drawn = JSON.stringify([this.text, template, width, this.full()]);
    if (drawn === this.drawn) return;
    this.drawn = drawn;
    const first = !this.config;
    this.config ??= configured(library, () => this.header, this.root);
    if (first) this.root.replaceChildren(this.area);
    const { data, layout } = coloured(this.header.figure, palette);
    const height = this.full() ? window.innerHeight : layout.height;
    // A zoom lasts while the rows and columns are the same tokens.
    const revision = layout.xaxis?.type === "category" ? [data[0].x, data[0].y] : drawn;
    const uirevision = JSON.stringify(revision);
    library.react(this.area, data, { ...layout, template, width, height, uirevision }, this.config);
    if (first) this.listen();
    this.finish();
  }

  listen() {
    const chart = this.area;
    chart.on("plotly_afterplot", () => this.finish());
    chart.on("plotly_relayout", () => this.finish());
    chart.on("plotly_hover", ({ points, event }) => this.tell("hover", points[0], event));
    chart.on("plotly_unhover", () => this.tell("unhover"));
    chart.on("plotly_click", ({ points }) => {
      this.tell("click", points[0]);
      if (this.header.clicks) this.send("clicked", points[0].customdata);
    });
  }

  /**
   * @param {PointEvent["kind"]} kind
   * @param {PlotlyPoint} [point]
   * @param {MouseEvent} [mouse]
   */
  tell(kind, point, mouse) {
    const detail = { chart: this.header.key, kind, point, mouse };
    window.dispatchEvent(new CustomEvent("headlight-point", { detail }));
  }

  /** What Plotly leaves as it likes it. */
  finish() {
    oneStop(this.root);
    for (const group of /** @type {NodeListOf<SVGElement>} */ (
      this.area.querySelectorAll(".heatmap-label")
    )) {
      const text = group.querySelector("text");
      const small = text && parseFloat(text.style.fontSize) < READABLE;
      group.style.visibility = small ? "hidden" : "";
    }
  }

  resize() {
    if (this.header && window.Plotly) this.draw(window.Plotly);
  }

  full() {
    return document.fullscreenElement === this.root;
  }

  /** @returns {number} pixels; 0 while the place is not shown */
  width() {
    const { width } = this.root.getBoundingClientRect();
    return width && Math.max(width, LEAST_WIDTH);
  }
}

/**
 * @param {Component<Uint8Array>} component
 * @returns {() => void}
 */
export default function (component) {
  return mount(component, ".headlight-chart", Chart);
}
