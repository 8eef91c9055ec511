// Tells the canvas views what the page shows, and listens to the heatmaps.
//
// The view (selected heads, picked tokens, colour scale) is a few hundred bytes and changes often.
// The overviews are megabytes and change rarely. Therefore they are sent separately.

import { unset } from "../common/find.js";
import { mount } from "../common/mount.js";
import { toggled } from "../common/selection.js";

class Sync {
  /** @param {HTMLElement} _root @param {AbortSignal} signal */
  constructor(_root, signal) {
    this.view = /** @type {View} */ (unset());
    this.send = /** @type {Component<View>["setTriggerValue"]} */ (unset());
    window.addEventListener("headlight-point", ({ detail }) => this.clicked(detail), { signal });
    signal.addEventListener("abort", () => delete window.headlightView);
  }

  /** @param {Component<View>} component */
  receive({ data, setTriggerValue }) {
    this.view = data;
    this.send = setTriggerValue;
    window.headlightView = data;
    window.dispatchEvent(new CustomEvent("headlight-view", { detail: data }));
  }

  /** @param {PointEvent} event a click on a cell picks its row: the token that attends */
  clicked({ chart, point }) {
    const side = /** @type {const} */ (["left", "right"]).find((one) => chart === `heatmap_${one}`);
    if (!side) return;
    const [row] = point.pointIndex ?? point.pointNumber;
    this.send("picked", { side, units: toggled(this.view.picked[side], row) });
  }
}

export default mount("span", Sync);
