// Buttons to download a figure's files. Each clicks its counterpart in the figure's own toolbar,
// which is small, and absent on a phone. Without buttons, it only states the origin of the numbers.

import { buttonOf } from "../common/element.js";
import { aboutFigures } from "../common/saving.js";
import { mount } from "../common/mount.js";

/**
 * The key of the figure's container, the titles of the buttons by the kind of file, and where the
 * figure's numbers come from.
 *
 * @typedef {{ figure: string, titles: Record<string, string>, about?: About }} FilesData
 */

class Files {
  figure = ""; // whose origin this states

  /** @param {HTMLElement} root @param {AbortSignal} signal */
  constructor(root, signal) {
    this.root = root;
    signal.addEventListener("abort", () => aboutFigures().delete(this.figure));
  }

  /** @param {Component<FilesData>} component */
  receive({ data: { figure, titles, about } }) {
    if (about) aboutFigures().set((this.figure = figure), about);
    const plot = figure && document.querySelector(`.st-key-${figure} .js-plotly-plot`);
    this.root.hidden = !plot; // only a chart of Plotly has files
    const buttons = Object.entries(titles).map(([kind, title]) => {
      // The event does not bubble: a click in the page would close the popover.
      const click = () =>
        document
          .querySelector(`.st-key-${figure} .modebar [data-attr=${kind}]`)
          ?.dispatchEvent(new MouseEvent("click"));
      const button = buttonOf("", kind.toUpperCase(), click);
      button.title = title;
      return button;
    });
    this.root.replaceChildren(...buttons);
  }
}

export default mount(".files", Files);
