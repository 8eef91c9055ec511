// Buttons to download a figure's files. Each clicks its counterpart in the figure's own toolbar,
// which is small, and absent on a phone.

import { mount } from "../common/mount.js";

/**
 * @typedef {object} FilesData
 * @property {string} figure key of the figure's container; "" for the last figure before `place`
 * @property {string} place key of the container that opens these buttons
 * @property {Record<string, string>} titles of the buttons to show, by the kind of file
 * @property {object} about where the figure's numbers come from, for the files
 */

/** @implements {Drawing<FilesData>} */
class Files {
  /** @param {HTMLElement} root */
  constructor(root) {
    this.root = root;
  }

  /** @param {Component<FilesData>} component */
  receive({ data }) {
    const figure = figureOf(data);
    this.root.hidden = !figure;
    if (figure) figure.dataset.about = JSON.stringify(data.about);
    for (const button of this.root.querySelectorAll("button")) {
      const { kind } = button.dataset;
      if (!kind) continue;
      button.hidden = !data.titles[kind];
      button.title = data.titles[kind] ?? "";
      button.onclick = () => {
        const tool = figureOf(data)?.querySelector(`.modebar [data-attr=${kind}]`);
        // The event does not bubble: a click in the page would close the popover.
        tool?.dispatchEvent(new MouseEvent("click"));
      };
    }
  }
}

/**
 * @param {FilesData} data
 * @returns {HTMLElement | null | undefined}
 */
function figureOf({ figure, place }) {
  if (figure) return document.querySelector(`.st-key-${figure} .js-plotly-plot`);
  const button = document.querySelector(`.st-key-${place}`);
  if (!button) return null;
  const charts = /** @type {NodeListOf<HTMLElement>} */ (
    document.querySelectorAll(".js-plotly-plot")
  );
  const before = [...charts].filter(
    (chart) => chart.compareDocumentPosition(button) & Node.DOCUMENT_POSITION_FOLLOWING,
  );
  return before.at(-1);
}

/**
 * @param {Component<FilesData>} component
 * @returns {() => void}
 */
export default function (component) {
  return mount(component, ".files", Files);
}
