// A figure of viz, drawn by Plotly once for each change.
//
// Plotly is the one that the Python package brings, so a figure is the same here and in a notebook.
// Clicks and hovers are told to the other components as the event `headlight-point`. Of a head that
// is selected in the browser, `headlight-cells` brings the weights before the server has answered.

import { mount } from "../common/mount.js";
import { headName } from "../common/selection.js";
import { laidOut, presenting, roomBelow } from "../common/stage.js";
import { onClicked } from "./clicks.js";
import { plotly } from "./plotly.js";
import { preview } from "./preview.js";
import { projected } from "./projected.js";
import { figureOf, headOf, tokensOf } from "./promised.js";
import { Spot } from "./spot.js";
import { coloured, paletteOf, templateOf } from "./theme.js";
import { configured, oneStop } from "./toolbar.js";

const READABLE = 7; // pixels: smaller numbers in the cells are noise, and hovering shows them
const SMALLEST = 18; // of all type on a projector
const PATIENCE = 5000; // milliseconds until the server no longer means to show what was promised
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
    /** @type {Promised | undefined} */
    this.promised = undefined;
    /** @type {(() => void)[]} who waits for the server's own figure */
    this.waiting = [];
    window.addEventListener("headlight-cells", ({ detail }) => this.promise(detail), { signal });
    window.addEventListener("headlight-view", ({ detail }) => this.follow(detail), { signal });
    window.addEventListener("headlight-present", () => this.redraw(), { signal });
    this.spot = new Spot(root, this.area, signal);
    const sized = new ResizeObserver(() => this.redraw());
    sized.observe(root);
    signal.addEventListener("abort", () => {
      sized.disconnect();
      clearTimeout(this.patience);
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
    clearTimeout(this.patience);
    if (this.late()) this.patience = setTimeout(() => this.keep(), PATIENCE);
    else this.keep();
    // What comes while Plotly is on its way is drawn instead of what came before it.
    plotly(this.header.plotly).then((library) => this.draw(library));
  }

  wait() {
    const said = document.createElement("p");
    said.className = "waiting";
    said.textContent = this.header.strings.waiting;
    const colours = preview(this.header.figure, this.width());
    this.root.replaceChildren(said, ...(colours ? [colours] : []));
  }

  // -- a head from the browser -----------------------------------------------------------------

  /** @param {HeadCells} told */
  promise({ side, name, cells }) {
    if (!this.config || this.header.key !== `heatmap_${side}`) return;
    const { figure } = this.header;
    const shown = headOf(figure);
    if (!shown || (shown === name && !this.promised)) return;
    const promised = shown === name ? figure : figureOf(figure, name, cells);
    if (!promised) return;
    this.promised = { side, name, figure: promised };
    clearTimeout(this.patience);
    // Back before the server has heard of the other: it may have nothing to say.
    if (shown === name) this.patience = setTimeout(() => this.keep(), PATIENCE);
    requestAnimationFrame(() => this.redraw()); // the server is told first
  }

  /** @returns {boolean} whether this answers what was asked for before the last click */
  late() {
    const { promised, header } = this;
    if (!promised || promised.answered || promised.name === headOf(header.figure)) return false;
    return tokensOf(promised.figure) === tokensOf(header.figure); // of another sentence it is new
  }

  /** @param {View} view all that the server sent for it came before */
  follow(view) {
    if (!this.promised) return;
    const { layer, head } = view[this.promised.side];
    this.promised.answered = this.promised.name === headName(layer, head);
  }

  /** The server's own figure is here, or nothing else will come. */
  keep() {
    this.promised = undefined;
    clearTimeout(this.patience);
    this.redraw();
    this.waiting.splice(0).forEach((go) => go());
  }

  /** @returns {Promise<ChartHeader>} what is shown, once it is exact */
  async exact() {
    if (this.promised && this.promised.figure !== this.header.figure)
      await new Promise((go) => this.waiting.push(() => go(undefined)));
    return this.header;
  }

  // -- drawing ---------------------------------------------------------------------------------

  /** @param {PlotlyLibrary} library */
  draw(library) {
    const width = this.width();
    if (this.signal.aborted || !width) return; // with a width, it is drawn by `redraw`
    const palette = paletteOf(this.root);
    const template = templateOf(palette);
    const shown = this.promised ? JSON.stringify(this.promised.figure) : this.text;
    const room = roomBelow(this.root);
    const drawn = JSON.stringify([shown, template, width, room, presenting(), this.full()]);
    if (drawn === this.drawn) return;
    this.drawn = drawn;
    this.root.ariaBusy = String(Boolean(this.promised));
    const first = !this.config;
    this.config ??= configured(library, this.header.strings, () => this.exact(), this.root);
    if (first) this.root.replaceChildren(this.area);
    const themed = coloured((this.promised ?? this.header).figure, palette);
    const { data, layout } = presenting()
      ? projected(themed, palette, laidOut(SMALLEST), width)
      : themed;
    const height = this.full() ? window.innerHeight : (room ?? layout.height);
    this.root.style.height = room ? `${room}px` : "";
    library.react(this.area, data, { ...layout, template, width, height }, this.config);
    if (first) this.listen(library);
    this.finish();
  }

  /** @param {PlotlyLibrary} library */
  listen(library) {
    const chart = this.area;
    chart.on("plotly_afterplot", () => this.finish());
    chart.on("plotly_relayout", () => this.finish());
    chart.on("plotly_hover", ({ points, event }) => this.tell("hover", points[0], event));
    chart.on("plotly_unhover", () => this.tell("unhover"));
    onClicked(chart, library, (point) => {
      this.tell("click", point);
      if (this.header.clicks) this.send("clicked", point.customdata);
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
    this.spot.draw();
    for (const group of /** @type {NodeListOf<SVGElement>} */ (
      this.area.querySelectorAll(".heatmap-label")
    )) {
      const text = group.querySelector("text");
      const least = Math.max(READABLE, laidOut(SMALLEST) - 0.5);
      const small = text && parseFloat(text.style.fontSize) < least;
      group.style.visibility = small ? "hidden" : "";
    }
  }

  redraw() {
    if (this.header && window.Plotly) this.draw(window.Plotly);
    else if (this.header) this.wait();
  }

  full() {
    return document.fullscreenElement === this.root;
  }

  /** @returns {number} pixels; 0 while the place is not shown */
  width() {
    const width = this.root.offsetWidth; // not as it is magnified
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
