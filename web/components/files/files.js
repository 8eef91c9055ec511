// Buttons to download a figure's files. Each clicks its counterpart in the figure's own toolbar,
// which is small, and absent on a phone.

import { mount } from "../common/mount.js";

/**
 * @typedef {object} FilesData
 * @property {string} figure key of the figure's container; "" for the last figure before `place`
 * @property {string} place key of the container that opens these buttons
 * @property {Record<string, string>} titles of the buttons, by the kind of file
 */

/** @implements {Drawing<FilesData>} */
class Files {
  /**
   * @param {HTMLElement} root
   * @param {AbortSignal} signal
   */
  constructor(root, signal) {
    this.root = root;
    // Plotly downloads by a click on a link in the page, which would close the popover around
    // these buttons.
    const stopDownloads = (/** @type {MouseEvent} */ event) => {
      if (event.target instanceof HTMLAnchorElement && event.target.download)
        event.stopPropagation();
    };
    window.addEventListener("click", stopDownloads, { capture: true, signal });
  }

  /** @param {Component<FilesData>} component */
  receive({ data }) {
    this.root.hidden = !figureOf(data);
    for (const button of this.root.querySelectorAll("button")) {
      const { kind } = button.dataset;
      if (!kind) continue;
      button.title = data.titles[kind];
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
 * @returns {Element | null | undefined}
 */
function figureOf({ figure, place }) {
  if (figure) return document.querySelector(`.st-key-${figure} .js-plotly-plot`);
  const button = document.querySelector(`.st-key-${place}`);
  if (!button) return null;
  const before = [...document.querySelectorAll(".js-plotly-plot")].filter(
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
