// The caption of a presented figure, and the position that arrow keys change. This component draws
// nothing: it puts both on the window for `present`.

import { unset } from "../common/find.js";
import { mount } from "../common/mount.js";
import { walked } from "../common/walking.js";

const DEBOUNCE = 120; // milliseconds: an arrow key that is held down sends one request

/** @implements {Drawing<CaptionData>} */
class Caption {
  /**
   * @param {HTMLElement} _root
   * @param {AbortSignal} signal
   */
  constructor(_root, signal) {
    /** @type {Component<CaptionData>["setTriggerValue"]} */
    this.send = unset();
    signal.addEventListener("abort", () => {
      clearTimeout(this.timer);
      if (window.headlightCaption?.owner === this) delete window.headlightCaption;
    });
  }

  /** @param {Component<CaptionData>} component */
  receive({ data, setTriggerValue }) {
    this.send = setTriggerValue;
    const { text, walk } = data;
    this.place = walk;
    window.headlightCaption = { owner: this, text, place: walk, walk: (move) => this.walk(move) };
    window.dispatchEvent(new Event("headlight-caption"));
  }

  /** @param {Move} move */
  walk(move) {
    if (!this.place) return;
    this.place = walked(this.place, move);
    if (window.headlightCaption) window.headlightCaption.place = this.place;
    window.dispatchEvent(new Event("headlight-caption"));
    const { layer, head } = this.place;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.send("walked", { layer, head }), DEBOUNCE);
  }
}

/**
 * @param {Component<CaptionData>} component
 * @returns {() => void}
 */
export default function (component) {
  return mount(component, "span", Caption);
}
