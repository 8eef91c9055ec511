// What the object that draws a component has: see mount.js.

import { unset } from "./find.js";

/** @template Data */
export class Part {
  data = /** @type {Data} */ (unset());

  /** @param {Made} made */
  constructor(...[root, signal, outbox]) {
    this.root = root;
    this.signal = signal; // aborted when the component leaves the page
    this.outbox = outbox;
    this.send = outbox.send.bind(outbox);
  }
}
