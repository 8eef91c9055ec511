// A head's weights beside its point, while the pointer is over it.
//
// The chart is Plotly's own: this finds it by the key of its container and listens to it. A point
// carries the number of its head, counted through both models.

import { mount } from "../common/mount.js";
import { onCharts } from "../common/plotly.js";
import { clamp, four, opacity, scaleOf } from "../common/scale.js";
import { unpack } from "../common/unpack.js";

const SIDE = 176; // pixels on the screen

/** @typedef {{ side: ThumbnailsHeader["sides"][number], name: string, cells: Uint16Array }} Head */

/** @implements {Drawing<Uint8Array>} */
class Thumbnails {
  /**
   * @param {HTMLElement} root
   * @param {AbortSignal} signal
   */
  constructor(root, signal) {
    this.root = root;
    /** @type {Head[]} */
    this.heads = [];
    const meet = (_chart, listen) => {
      listen("plotly_hover", ({ points, event }) => this.show(points[0].customdata, event));
      listen("plotly_unhover", () => this.hide());
    };
    onCharts(".st-key-map .js-plotly-plot", meet, signal);
    signal.addEventListener("abort", () => this.hide());
  }

  /** @param {Component<Uint8Array>} component */
  receive({ data }) {
    let start = 0;
    /** @type {ThumbnailsHeader & Cells} */
    const { sides, cells } = unpack(data);
    this.heads = sides.flatMap((side) =>
      Array.from({ length: side.heads }, (_, number) => {
        const length = side.size * side.size;
        const head = {
          side,
          name: side.names[number],
          cells: cells.subarray(start, start + length),
        };
        start += length;
        return head;
      }),
    );
  }

  hide() {
    if (this.root.matches(":popover-open")) this.root.hidePopover();
  }

  /**
   * @param {number} number of the head, counted through both models
   * @param {MouseEvent} event
   */
  show(number, event) {
    const head = this.heads[number];
    if (!head) return;
    const { size, rgb, labels, block, model } = head.side;
    this.root.querySelector(".title").textContent = `${model} ${head.name}`;
    this.draw(head.cells, size, rgb);
    let strongest = 0;
    for (let i = 1; i < head.cells.length; i++) {
      if (head.cells[i] > head.cells[strongest]) strongest = i;
    }
    const name = (at) => labels[at * block] + (block > 1 ? "…" : "");
    this.root.querySelector(".note").textContent =
      `${name(Math.floor(strongest / size))} → ${name(strongest % size)}  ` +
      four(head.cells[strongest]);
    if (!this.root.matches(":popover-open")) this.root.showPopover();
    const box = this.root.getBoundingClientRect();
    // Below the point or above it: beside it Plotly writes its name.
    const { clientX, clientY } = event;
    const below = clientY + 24 + box.height < window.innerHeight;
    this.root.style.top = `${below ? clientY + 24 : Math.max(clientY - 24 - box.height, 4)}px`;
    const rightmost = Math.max(window.innerWidth - box.width - 4, 4);
    this.root.style.left = `${clamp(clientX - box.width / 2, 4, rightmost)}px`;
  }

  /**
   * @param {Uint16Array} cells
   * @param {number} size
   * @param {Rgb} rgb
   */
  draw(cells, size, [red, green, blue]) {
    const canvas = this.root.querySelector("canvas");
    canvas.width = canvas.height = size;
    canvas.style.width = canvas.style.height = `${SIDE}px`;
    const image = new ImageData(size, size);
    const scale = scaleOf(); // from 0 to 1
    for (let i = 0; i < cells.length; i++) {
      image.data.set([red, green, blue, Math.round(255 * opacity(cells[i], scale))], 4 * i);
    }
    canvas.getContext("2d").putImageData(image, 0, 0);
  }
}

/**
 * @param {Component<Uint8Array>} component
 * @returns {() => void}
 */
export default function (component) {
  return mount(component, ".thumbnail", Thumbnails);
}
