// Spotlight on one row of a heatmap. The other rows are dimmed.

import { presenting } from "../common/stage.js";

export class Spot {
  /**
   * @param {HTMLElement} root of the figure
   * @param {PlotlyChart} area Plotly's element
   * @param {AbortSignal} signal
   */
  constructor(root, area, signal) {
    this.root = root;
    this.area = area;
    /** @type {string | undefined} */
    this.name = undefined;
    /** @type {HTMLElement[]} */
    this.veils = ["above", "below"].map(() => {
      const veil = document.createElement("div");
      veil.className = "veil";
      return veil;
    });
    window.addEventListener("headlight-spotlight", ({ detail }) => this.follow(detail), { signal });
  }

  /** @returns {string[]} the queries from top to bottom; empty if the figure is not a heatmap */
  rows() {
    const [trace] = this.area._fullData ?? [];
    if (trace?.type !== "heatmap" || !this.root.offsetWidth) return [];
    return Array.from(trace.y ?? [], String);
  }

  /** @param {Spotlight} spotlight */
  follow({ name, names }) {
    if (!names.length && this.visible()) names.push(...this.rows());
    this.name = name;
    this.draw();
  }

  visible() {
    return getComputedStyle(this.root).visibility === "visible";
  }

  draw() {
    const rows = presenting() ? this.rows() : [];
    const at = this.name === undefined ? -1 : rows.indexOf(this.name);
    if (at < 0) {
      for (const veil of this.veils) veil.remove();
      return;
    }
    const { xaxis, yaxis } = this.area._fullLayout;
    const row = yaxis._length / rows.length;
    /** @type {(veil: HTMLElement, from: number, to: number) => void} */
    const place = (veil, from, to) => {
      const box = {
        left: xaxis._offset,
        width: xaxis._length,
        top: yaxis._offset + from * row,
        height: (to - from) * row,
      };
      for (const [side, pixels] of Object.entries(box)) veil.style.setProperty(side, `${pixels}px`);
    };
    place(this.veils[0], 0, at);
    place(this.veils[1], at + 1, rows.length);
    this.root.append(...this.veils);
  }
}
