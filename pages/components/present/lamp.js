// The spotlight on one query: whoever draws queries says which there are, and veils the others.

import { clamp } from "../common/scale.js";

export class Lamp {
  constructor() {
    /** @type {Spotlight | undefined} */
    this.on = undefined;
  }

  toggle() {
    if (this.on) this.out();
    else this.put(0);
  }

  out() {
    if (this.on) tell({ name: undefined, names: [] });
    this.on = undefined;
  }

  /** @param {number} at the place of a query */
  put(at) {
    const { names } = tell({ name: undefined, names: [] });
    if (!names.length) return;
    this.on = tell({ name: names[clamp(at, 0, names.length - 1)], names });
  }

  /** @param {number} by how many queries down */
  move(by) {
    this.put(this.on.names.indexOf(this.on.name) + by);
  }

  /** @param {PointEvent} event the pointer is over a row of a figure */
  over({ kind, point }) {
    const at = this.on && kind === "hover" ? this.on.names.indexOf(point.y) : -1;
    if (at >= 0) this.put(at);
  }
}

/** @param {Spotlight} detail */
function tell(detail) {
  window.dispatchEvent(new CustomEvent("headlight-spotlight", { detail }));
  return detail;
}
