// Buttons to download a figure's files. Each clicks its counterpart in the figure's own toolbar,
// which is small, and absent on a phone. Without buttons, it only states the origin of the numbers.

import { aboutFigures } from "../common/figure_origin.js";
import { mount } from "../common/mount.js";

/**
 * @typedef {object} FilesData
 * @property {string} figure key of the figure's container
 * @property {Record<string, string>} titles of the buttons to show, by the kind of file
 * @property {About} [about] where the figure's numbers come from, for the files
 */

class Files {
  /** @param {HTMLElement} root @param {AbortSignal} signal */
  constructor(root, signal) {
    this.root = root;
    /** @type {string | null} the figure whose origin this states */
    this.figure = null;
    signal.addEventListener("abort", () => this.figure && aboutFigures().delete(this.figure));
  }

  /** @param {Component<FilesData>} component */
  receive({ data }) {
    const { titles, about } = data;
    if (about) {
      this.figure = data.figure;
      aboutFigures().set(data.figure, about);
    }
    // Only a chart of Plotly has files.
    this.root.hidden = !Object.keys(titles).length || !plotOf(data);
    for (const button of this.root.querySelectorAll("button")) {
      const { kind } = button.dataset;
      if (!kind) continue;
      button.hidden = !titles[kind];
      button.title = titles[kind] ?? "";
      button.onclick = () => download(data, kind);
    }
  }
}

/** @param {FilesData} data @param {string} kind */
function download(data, kind) {
  const tool = plotOf(data)?.querySelector(`.modebar [data-attr=${kind}]`);
  // The event does not bubble: a click in the page would close the popover.
  tool?.dispatchEvent(new MouseEvent("click"));
}

/** @param {FilesData} data @returns {HTMLElement | null} */
function plotOf({ figure }) {
  return figure ? document.querySelector(`.st-key-${figure} .js-plotly-plot`) : null;
}

export default mount(".files", Files);
