// A figure's files, away from the figure: each button presses the one of the figure's own toolbar,
// which is small, and on a phone not there.

import { mount } from "../common/mount.js";

/**
 * @typedef {object} FilesData
 * @property {string} figure the container of the figure; "" for the last one before `place`
 * @property {string} place the container of what opened to these buttons
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
    // Plotly saves by a click on a link of the page: heard there, it would close what these
    // buttons stand in.
    const hush = (event) => event.target.download && event.stopPropagation();
    window.addEventListener("click", hush, { capture: true, signal });
  }

  /** @param {Component<FilesData>} component */
  receive({ data }) {
    this.root.hidden = !figureOf(data);
    for (const button of this.root.querySelectorAll("button")) {
      button.title = data.titles[button.dataset.kind];
      button.onclick = () => {
        /** @type {HTMLElement} */
        const tool = figureOf(data)?.querySelector(`.modebar [data-attr=${button.dataset.kind}]`);
        // Unheard beyond the toolbar: a click elsewhere closes what these buttons stand in.
        tool?.dispatchEvent(new MouseEvent("click"));
      };
    }
  }
}

/** @param {FilesData} data */
function figureOf({ figure, place }) {
  if (figure) return document.querySelector(`.st-key-${figure} .js-plotly-plot`);
  const button = document.querySelector(`.st-key-${place}`);
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
