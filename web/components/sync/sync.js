// Tells the canvas views what the page shows.
//
// The view (selected heads, picked tokens, colour scale) is a few hundred bytes and changes often.
// The overviews are megabytes and change rarely. Therefore they are sent separately.

import { mount } from "../common/mount.js";

class Sync {
  /** @param {HTMLElement} _root @param {AbortSignal} signal */
  constructor(_root, signal) {
    signal.addEventListener("abort", () => delete window.headlightView);
  }

  /** @param {Component<View>} component */
  receive({ data }) {
    window.headlightView = data;
    window.dispatchEvent(new CustomEvent("headlight-view", { detail: data }));
  }
}

export default mount("span", Sync);
