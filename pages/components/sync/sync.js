// Tells the canvas views what the page shows, and listens to the Plotly heatmaps.
//
// The view (selected heads, picked tokens, colour scale) is a few hundred bytes and changes often;
// the overviews are megabytes and change rarely. Keeping them apart is what makes a click cheap.

import { mount } from "../common/mount.js";
import { onCharts } from "../common/plotly.js";
import { toggled } from "../common/selection.js";

/** @implements {Drawing<View>} */
class Sync {
  /**
   * @param {HTMLElement} _root
   * @param {AbortSignal} signal
   */
  constructor(_root, signal) {
    for (const side of /** @type {const} */ (["left", "right"])) {
      const selector = `.st-key-heatmap_${side} .js-plotly-plot`;
      const meet = (_chart, listen) =>
        listen("plotly_click", ({ points }) => this.clicked(side, points[0]));
      onCharts(selector, meet, signal);
    }
    signal.addEventListener("abort", () => delete window.headlightView);
  }

  /** @param {Component<View>} component */
  receive({ data, setTriggerValue }) {
    this.view = data;
    this.send = setTriggerValue;
    window.headlightView = data;
    window.dispatchEvent(new CustomEvent("headlight-view", { detail: data }));
  }

  /**
   * A click on a cell picks its row: the token that attends.
   *
   * @param {Side} side
   * @param {{ pointIndex?: number[], pointNumber: number[] }} point
   */
  clicked(side, point) {
    const row = point.pointIndex ? point.pointIndex[0] : point.pointNumber[0];
    this.send("picked", { side, units: toggled(this.view.picked[side], row) });
  }
}

/**
 * @param {Component<View>} component
 * @returns {() => void}
 */
export default function (component) {
  return mount(component, "span", Sync);
}
