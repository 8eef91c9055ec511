// The caption of a presented figure, and the position that arrow keys change. This component draws
// nothing: it puts both on the window for `present`.

import { mount } from "../common/mount.js";
import { Part } from "../common/part.js";
import { walked } from "../common/next_head.js";

const DEBOUNCE = 120; // milliseconds: an arrow key that is held down sends one request

/** @extends {Part<CaptionData>} */
class Caption extends Part {
  /** @param {Made} made */
  constructor(...made) {
    super(...made);
    this.signal.addEventListener("abort", () => {
      clearTimeout(this.timer);
      if (window.headlightCaption?.owner === this) delete window.headlightCaption;
    });
  }

  /** @param {Component<CaptionData>} component */
  receive({ data }) {
    const { text, walk, acknowledged } = data;
    this.outbox.acknowledge(acknowledged);
    // The answer to an earlier key must not undo a later one.
    const moved = this.place && (this.outbox.stale || this.timer !== undefined);
    this.place = walk && moved ? { ...walk, layer: this.place.layer, head: this.place.head } : walk;
    const { place } = this;
    window.headlightCaption = { owner: this, text, place, walk: (move) => this.walk(move) };
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
    this.timer = setTimeout(() => {
      this.timer = undefined;
      this.outbox.edit({ layer, head });
    }, DEBOUNCE);
  }
}

export default mount("span", Caption);
