// What stands in the line under a presented figure, and where arrow keys lead: left on the window
// for `present`. There is nothing to see here.

import { mount } from "../common/mount.js";
import { walked } from "../common/walking.js";

const RESTS = 120; // milliseconds: holding an arrow down asks the server once, at the end

/** @implements {Drawing<CaptionData>} */
class Caption {
  /**
   * @param {HTMLElement} _root
   * @param {AbortSignal} signal
   */
  constructor(_root, signal) {
    signal.addEventListener("abort", () => {
      clearTimeout(this.timer);
      if (window.headlightCaption?.owner === this) delete window.headlightCaption;
    });
  }

  /** @param {Component<CaptionData>} component */
  receive({ data, setTriggerValue }) {
    this.send = setTriggerValue;
    const { said, walk } = data;
    this.place = walk;
    window.headlightCaption = { owner: this, said, place: walk, walk: (move) => this.walk(move) };
    window.dispatchEvent(new Event("headlight-caption"));
  }

  /** @param {Move} move */
  walk(move) {
    if (!this.place) return;
    this.place = walked(this.place, move);
    window.headlightCaption.place = this.place;
    window.dispatchEvent(new Event("headlight-caption"));
    const { layer, head } = this.place;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.send("walked", { layer, head }), RESTS);
  }
}

/**
 * @param {Component<CaptionData>} component
 * @returns {() => void}
 */
export default function (component) {
  return mount(component, "span", Caption);
}
