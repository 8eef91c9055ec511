// A figure of viz, drawn by Plotly after each change.
//
// Plotly comes from the Python package, so a figure is the same here and in a notebook. Other
// components receive clicks as the event `headlight-point`. When a head is selected in
// the browser, `headlight-cells` contains its weights before the server responds.

import { find, unset } from "../common/find.js";
import { mount } from "../common/mount.js";
import { bring } from "../common/narrow.js";
import { headName } from "../common/selection.js";
import { laidOut, presenting, roomBelow } from "../common/stage.js";
import { onClicked } from "./clicks.js";
import { withAllNames } from "./names.js";
import { plotly } from "./plotly.js";
import { preview } from "./preview.js";
import { projected } from "./projected.js";
import { figureOf, headOf, tokensOf } from "./promised.js";
import { coloured, paletteOf, templateOf } from "./theme.js";
import { configured, oneStop } from "./toolbar.js";

const READABLE = 9; // pixels: smaller numbers in the cells are hidden; hovering shows them
const SMALLEST = 18; // pixels on a projector, of any type
const PATIENCE = 5000; // milliseconds until a promised figure is replaced by the server's
const LEAST_WIDTH = 150; // pixels: a narrower figure has no room for Plotly's margins

class Chart {
  /** @param {HTMLElement} root @param {AbortSignal} signal */
  constructor(root, signal) {
    this.root = root;
    this.signal = signal;
    this.area = /** @type {PlotlyChart} */ (document.createElement("div"));
    this.header = /** @type {ChartHeader} */ (unset());
    this.send = /** @type {Component<Uint8Array>["setTriggerValue"]} */ (unset());
    /** @type {string | undefined} */
    this.drawn = undefined; // the state in which the figure was drawn last, as JSON
    /** @type {object | undefined} Plotly's configuration; undefined until the first drawing */
    this.config = undefined;
    this.promised = /** @type {Promised | undefined} */ (undefined);
    /** @type {(() => void)[]} callbacks that wait for the server's figure */
    this.waiting = [];
    window.addEventListener("headlight-cells", ({ detail }) => this.promise(detail), { signal });
    window.addEventListener("headlight-view", ({ detail }) => this.follow(detail), { signal });
    window.addEventListener("headlight-present", () => this.redraw(), { signal });
    const sized = new ResizeObserver(() => this.redraw());
    sized.observe(root);
    signal.addEventListener("abort", () => {
      sized.disconnect();
      clearTimeout(this.patience);
      if (this.config) window.Plotly?.purge(this.area);
    });
  }

  /** @param {Component<Uint8Array>} component */
  receive({ data, setTriggerValue }) {
    this.send = setTriggerValue;
    this.text = new TextDecoder().decode(data);
    const title = this.header?.figure.layout.title?.text;
    this.header = JSON.parse(this.text);
    // A tap on a row of the table below selects this head.
    const selected = title && title !== this.header.figure.layout.title?.text;
    if (selected && this.header.key === "panel") bring(this.root, "nearest");
    this.root.setAttribute("aria-label", this.header.alt);
    if (!this.config) this.wait();
    clearTimeout(this.patience);
    if (this.late()) this.patience = setTimeout(() => this.keep(), PATIENCE);
    else this.keep();
    // If more data arrives while Plotly loads, only the newest figure is drawn.
    plotly(this.header.plotly).then((library) => this.draw(library));
  }

  wait() {
    const message = document.createElement("p");
    message.className = "waiting";
    message.textContent = this.header.strings.waiting;
    const colours = preview(this.header.figure, this.width());
    this.root.replaceChildren(message, ...(colours ? [colours] : []));
  }

  // -- a head from the browser -----------------------------------------------------------------

  /** @param {HeadCells} head selected in the browser */
  promise({ side, name, cells }) {
    if (!this.config || this.header.key !== `heatmap_${side}`) return;
    const { figure } = this.header;
    const shown = headOf(figure);
    if (!shown || (shown === name && !this.promised)) return;
    const promised = shown === name ? figure : figureOf(figure, name, cells);
    if (!promised) return;
    this.promised = { side, name, figure: promised };
    clearTimeout(this.patience);
    // The first head again, before the server has received the other: it may not respond.
    if (shown === name) this.patience = setTimeout(() => this.keep(), PATIENCE);
    requestAnimationFrame(() => this.redraw()); // the request to the server goes first
  }

  /** @returns {boolean} whether the server's figure is stale: a response to an earlier click */
  late() {
    const { promised, header } = this;
    if (!promised || promised.answered || promised.name === headOf(header.figure)) return false;
    return tokensOf(promised.figure) === tokensOf(header.figure); // another sentence is new
  }

  /** @param {View} view the server sends it after the figures that belong to it */
  follow(view) {
    if (!this.promised) return;
    const { layer, head } = view[this.promised.side];
    this.promised.answered = this.promised.name === headName(layer, head);
  }

  /** Show the server's figure: it has arrived, or the wait has ended. */
  keep() {
    this.promised = undefined;
    clearTimeout(this.patience);
    this.redraw();
    this.waiting.splice(0).forEach((go) => go());
  }

  /** @returns {Promise<ChartHeader>} the shown figure, as soon as its numbers are exact */
  async exact() {
    if (this.promised && this.promised.figure !== this.header.figure)
      await new Promise((go) => this.waiting.push(() => go(undefined)));
    return this.header;
  }

  // -- drawing ---------------------------------------------------------------------------------

  /** @param {PlotlyLibrary} library */
  draw(library) {
    const width = this.width();
    if (this.signal.aborted || !width) return; // `redraw` draws it as soon as it has a width
    const palette = paletteOf(this.root);
    const template = templateOf(palette);
    const shown = this.promised ? JSON.stringify(this.promised.figure) : this.text;
    const room = roomBelow(this.root);
    const drawn = JSON.stringify([shown, template, width, room, presenting(), this.full()]);
    if (drawn === this.drawn) return;
    this.drawn = drawn;
    this.root.ariaBusy = String(Boolean(this.promised));
    const first = !this.config;
    this.config ??= configured(library, this.header, () => this.exact(), this.root);
    if (first) this.root.replaceChildren(this.area);
    const themed = coloured((this.promised ?? this.header).figure, palette);
    const { data, layout } = presenting()
      ? projected(themed, palette, laidOut(SMALLEST), width)
      : withAllNames(themed, width);
    const height = this.full() ? window.innerHeight : (room ?? layout.height);
    this.root.style.height = room ? `${room}px` : "";
    library.react(this.area, data, { ...layout, template, width, height }, this.config);
    if (first) this.listen(library);
    this.finish();
  }

  /** @param {PlotlyLibrary} library */
  listen(library) {
    const chart = this.area;
    const labels = find(chart, ".hoverlayer", SVGElement);
    new MutationObserver(() => writeMinus(labels)).observe(labels, {
      childList: true,
      subtree: true,
    });
    chart.on("plotly_afterplot", () => this.finish());
    chart.on("plotly_relayout", () => this.finish());
    onClicked(chart, library, (point) => {
      const detail = { chart: this.header.key, point };
      window.dispatchEvent(new CustomEvent("headlight-point", { detail }));
      if (this.header.clicks) this.send("clicked", point.customdata);
    });
  }

  /** Correct what Plotly does not configure. */
  finish() {
    oneStop(this.root);
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

  /** @returns {number} layout pixels; 0 while the element is not visible */
  width() {
    const width = this.root.offsetWidth; // without the magnification
    return width && Math.max(width, LEAST_WIDTH);
  }
}

/**
 * Write the minus sign of the axes into labels of points, where Plotly writes a hyphen.
 *
 * @param {Element} labels
 */
function writeMinus(labels) {
  const texts = document.createTreeWalker(labels, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const text = /** @type {Text} */ (texts.currentNode);
    text.data = text.data.replace(/(^|[\s(])-(?=[.\d])/g, "$1−");
  }
}

export default mount(".headlight-chart", Chart);
