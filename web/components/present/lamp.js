// The spotlight on one query. Each figure adds the names of its queries to the event, and dims the
// other queries.

import { clamp } from "../common/scale.js";

export class Lamp {
  constructor() {
    /** @type {(Spotlight & { name: string }) | undefined} */
    this.on = undefined;
  }

  toggle() {
    if (this.on) this.out();
    else this.put(0);
  }

  out() {
    if (this.on) announce({ name: undefined, names: [] });
    this.on = undefined;
  }

  /** @param {number} at index of the query */
  put(at) {
    const { names } = announce({ name: undefined, names: [] });
    if (!names.length) return;
    this.on = announce({ name: names[clamp(at, 0, names.length - 1)], names });
  }

  /** @param {number} by number of queries to move down */
  move(by) {
    if (this.on) this.put(this.on.names.indexOf(this.on.name) + by);
  }

  /** @param {PointEvent} event the pointer is over a row of a figure */
  over({ kind, point }) {
    if (!this.on || !point || kind !== "hover") return;
    const at = this.on.names.indexOf(point.y);
    if (at >= 0) this.put(at);
  }
}

/**
 * @template {Spotlight} Sent
 * @param {Sent} detail
 * @returns {Sent}
 */
function announce(detail) {
  window.dispatchEvent(new CustomEvent("headlight-spotlight", { detail }));
  return detail;
}
