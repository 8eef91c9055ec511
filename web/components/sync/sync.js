// Tells the canvas views what the page shows, and listens to the heatmaps.
//
// The view (selected heads, picked tokens, colour scale) is a few hundred bytes and changes often.
// The overviews are megabytes and change rarely. Therefore they are sent separately.

import { unset } from "../common/find.js";
import { mount } from "../common/mount.js";
import { onPoint } from "../common/points.js";
import { toggled } from "../common/selection.js";

/** @implements {Drawing<View>} */
class Sync {
  /** @param {HTMLElement} _root @param {AbortSignal} signal */
  constructor(_root, signal) {
    /** @type {View} */
    this.view = unset();
    /** @type {Component<View>["setTriggerValue"]} */
    this.send = unset();
    for (const side of /** @type {const} */ (["left", "right"])) {
      onPoint(
        `heatmap_${side}`,
        "click",
        ({ point }) => point && this.clicked(side, point),
        signal,
      );
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
   * @param {PlotlyPoint} point
   */
  clicked(side, point) {
    const row = point.pointIndex ? point.pointIndex[0] : point.pointNumber[0];
    this.send("picked", { side, units: toggled(this.view.picked[side], row) });
  }
}

/** @param {Component<View>} component @returns {() => void} */
export default function (component) {
  return mount(component, "span", Sync);
}
