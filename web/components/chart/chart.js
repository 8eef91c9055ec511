// A figure of viz, drawn by Plotly after each change.
//
// Plotly comes from the Python package, so a figure is the same here and in a notebook.

import { onResize } from "../common/canvas.js";
import { element } from "../common/element.js";
import { findAll, unset } from "../common/find.js";
import { mount } from "../common/mount.js";
import { Part } from "../common/part.js";
import { laidOut, presenting, roomBelow } from "../common/stage.js";
import { onClicked } from "./clicks.js";
import { withAllNames } from "./names.js";
import { plotly } from "./plotly.js";
import { coloured, paletteOf, templateOf } from "./theme.js";
import { configured, oneStop } from "./toolbar.js";

const READABLE = 9; // pixels: smaller numbers in the cells are hidden; hovering shows them
const SMALLEST = 18; // pixels on a projector, of any other type
const IN_CELLS = 12; // pixels on a projector, of numbers in cells
const LONG = 6; // characters of a word that may be wider than its cell
const LEAST_WIDTH = 150; // pixels: a narrower figure has no room for Plotly's margins

/** @extends {Part<Uint8Array>} */
class Chart extends Part {
  area = /** @type {PlotlyChart} */ (document.createElement("div"));
  header = /** @type {ChartHeader} */ (unset());
  names = element("div", "row-names"); // in front of a figure that is scrolled to the right
  drawn = ""; // the state in which the figure was drawn last, as JSON
  /** @type {object | undefined} Plotly's configuration; undefined until the first drawing */
  config = undefined;

  /** @param {Made} made */
  constructor(...made) {
    super(...made);
    onResize(this.root, () => this.redraw(), this.signal);
    this.signal.addEventListener("abort", () => this.config && window.Plotly?.purge(this.area));
  }

  /** @param {Component<Uint8Array>} component */
  receive({ data }) {
    this.text = new TextDecoder().decode(data);
    this.header = JSON.parse(this.text);
    this.root.setAttribute("aria-label", this.header.alt);
    this.redraw();
    // If more data arrives while Plotly loads, only the newest figure is drawn.
    plotly(this.header.plotly).then((library) => this.draw(library));
  }

  /** @param {PlotlyLibrary} library */
  draw(library) {
    const { offsetWidth } = this.root; // layout pixels; 0 while the element is not visible
    if (this.signal.aborted || !offsetWidth) return; // `redraw` draws it as soon as it has a width
    const width = Math.max(offsetWidth, LEAST_WIDTH);
    const least = laidOut(SMALLEST);
    const palette = paletteOf(this.root, least);
    const template = templateOf(palette);
    const room = roomBelow(this.root);
    const drawn = JSON.stringify([this.text, template, width, room, presenting()]);
    if (drawn === this.drawn) return;
    this.drawn = drawn;
    const first = !this.config;
    this.config ??= configured(library, this.header, () => this.header);
    if (first) this.root.replaceChildren(this.area);
    const themed = coloured(this.header.figure, palette, least);
    const { data, layout } = presenting() ? themed : withAllNames(themed, width);
    const height = room ?? layout.height;
    this.root.style.height = room ? `${room}px` : "";
    library.react(this.area, data, { ...layout, template, width, height }, this.config);
    this.finish();
    if (!first) return;
    this.showFocus(layout.meta?.focus);
    this.area.on("plotly_afterplot", () => this.finish());
    this.area.on("plotly_relayout", () => this.finish());
    onClicked(this.area, library, (point) => {
      if (this.header.clicks) this.send("clicked", point.customdata);
    });
  }

  /**
   * Scroll a figure that is wider than the screen; the names of its rows stay.
   *
   * @param {number} [focus] from 0, left, to 1
   */
  showFocus(focus) {
    let box = /** @type {HTMLElement | null} */ (this.root);
    while (box && box.scrollWidth <= box.clientWidth) box = box.parentElement;
    if (!box) return;
    this.root.append(this.names);
    const follow = () => {
      this.names.style.left = `${box.scrollLeft}px`;
      this.names.hidden = box.scrollLeft < LEAST_WIDTH / 4; // the figure's own names are seen
    };
    box.addEventListener("scroll", follow, { signal: this.signal });
    follow();
    if (!focus || focus * box.scrollWidth < 0.8 * box.clientWidth) return;
    box.scrollLeft = focus * box.scrollWidth - box.clientWidth / 3;
  }

  /** Correct what Plotly does not configure. */
  finish() {
    oneStop(this.root);
    const above = this.area.getBoundingClientRect().top;
    const ticks = findAll(this.area, ".ytick text");
    const tops = ticks.map((tick) => tick.getBoundingClientRect().top - above);
    const first = Math.min(...tops);
    const names = ticks.map((tick) => element("span", "", tick.textContent ?? ""));
    names.forEach((name, at) => (name.style.top = `${tops[at] - first}px`));
    this.names.style.top = `${first}px`;
    this.names.replaceChildren(...names);
    const across = this.area._fullLayout?.xaxis;
    const cell = across ? Math.abs(across.l2p(1) - across.l2p(0)) : 0; // the width of a column
    for (const group of findAll(this.area, ".heatmap-label")) {
      const text = group.querySelector("text");
      const least = Math.max(READABLE, laidOut(IN_CELLS) - 0.5);
      if (!text) continue;
      let size = parseFloat(text.style.fontSize);
      if (cell > 0 && (text.textContent ?? "").length >= LONG)
        size *= Math.min((0.94 * cell) / Math.max(text.getBBox().width, 1), 1);
      text.style.fontSize = `${size}px`;
      group.style.visibility = size < least ? "hidden" : "";
    }
  }

  redraw() {
    if (this.header && window.Plotly) this.draw(window.Plotly);
    else if (this.header)
      this.root.replaceChildren(element("p", "waiting", this.header.strings.waiting));
  }
}

export default mount(".headlight-chart", Chart);
