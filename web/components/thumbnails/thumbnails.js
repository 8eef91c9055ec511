// A thumbnail of a head's weights. It is shown beside the head's point while the pointer is over
// it.
//
// A point of the chart contains the number of its head. The numbers continue from the first model
// to the second.

import { context2d } from "../common/canvas.js";
import { find } from "../common/find.js";
import { mount } from "../common/mount.js";
import { onPoint } from "../common/points.js";
import { MASKED, clamp, four, opacity, scaleOf } from "../common/scale.js";
import { unpack } from "../common/unpack.js";

const SIDE = 176; // pixels of the longer side on the screen
const GROUND = 18; // minimum alpha of a visible cell, of 255

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
    const show = (/** @type {PointEvent} */ { point, mouse }) => {
      if (point && mouse) this.show(point.customdata, mouse);
    };
    onPoint("map", "hover", show, signal);
    onPoint("map", "unhover", () => this.hide(), signal);
    signal.addEventListener("abort", () => this.hide());
  }

  /** @param {Component<Uint8Array>} component */
  receive({ data }) {
    let start = 0;
    /** @type {ThumbnailsHeader & Cells} */
    const { sides, cells } = unpack(data);
    this.heads = sides.flatMap((side) =>
      Array.from({ length: side.heads }, (_, number) => {
        const length = side.size * (side.keys ?? side).size;
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
   * @param {number} number of the head, counted over both models
   * @param {MouseEvent} event
   */
  show(number, event) {
    const head = this.heads[number];
    if (!head) return;
    const { rgb, model } = head.side;
    const keys = head.side.keys ?? head.side;
    find(this.root, ".title").textContent = `${model} ${head.name}`;
    this.draw(head.cells, keys.size, rgb);
    const strongest = strongestOf(head.cells);
    const name = (/** @type {OtherKeys} */ { labels, block = 1 }, /** @type {number} */ at) =>
      labels[at * block] + (block > 1 ? "…" : "");
    find(this.root, ".note").textContent =
      `${name(head.side, Math.floor(strongest / keys.size))} → ` +
      `${name(keys, strongest % keys.size)}  ` +
      four(head.cells[strongest]);
    if (!this.root.matches(":popover-open")) this.root.showPopover();
    const box = this.root.getBoundingClientRect();
    // Below or above the point, because Plotly writes the name beside it.
    const { clientX, clientY } = event;
    const below = clientY + 24 + box.height < window.innerHeight;
    this.root.style.top = `${below ? clientY + 24 : Math.max(clientY - 24 - box.height, 4)}px`;
    const rightmost = Math.max(window.innerWidth - box.width - 4, 4);
    this.root.style.left = `${clamp(clientX - box.width / 2, 4, rightmost)}px`;
  }

  /**
   * @param {Uint16Array} cells
   * @param {number} columns
   * @param {Rgb} rgb
   */
  draw(cells, columns, [red, green, blue]) {
    const rows = cells.length / columns;
    const canvas = find(this.root, "canvas", HTMLCanvasElement);
    [canvas.width, canvas.height] = [columns, rows];
    const pixels = SIDE / Math.max(rows, columns); // size of a cell
    canvas.style.width = `${columns * pixels}px`;
    canvas.style.height = `${rows * pixels}px`;
    const image = new ImageData(columns, rows);
    const scale = scaleOf(); // from 0 to 1
    // If a mask hides some cells, the other cells have a background, also with a weight of 0.
    const ground = cells.includes(MASKED) ? GROUND : 0;
    for (let i = 0; i < cells.length; i++) {
      const least = cells[i] === MASKED ? 0 : ground;
      const alpha = Math.max(Math.round(255 * opacity(cells[i], scale)), least);
      image.data.set([red, green, blue, alpha], 4 * i);
    }
    context2d(canvas).putImageData(image, 0, 0);
  }
}

/**
 * @param {Uint16Array} cells
 * @returns {number} index of the largest weight that is not masked
 */
export function strongestOf(cells) {
  // Each weight plus 1: in 16 bits, MASKED becomes 0, which is less than any weight.
  const weight = (/** @type {number} */ i) => (cells[i] + 1) & MASKED;
  return cells.reduce((best, _, i) => (weight(i) > weight(best) ? i : best), 0);
}

/**
 * @param {Component<Uint8Array>} component
 * @returns {() => void}
 */
export default function (component) {
  return mount(component, ".thumbnail", Thumbnails);
}
