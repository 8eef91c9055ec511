// One head enlarged: its cells, with their numbers where they fit, or else the strongest links.

import { sharp } from "../common/canvas.js";
import { clamp, opacity, two } from "../common/scale.js";

/** @import { Scale } from "../common/scale.js" */

const FONT = 10;
const VALUE_CELL = { width: 26, height: 17 };
const FAINTEST = 100; // a weight below 0.01 is a colour without a number
const LABEL = 74; // pixels for the names of the tokens, to the left and above
const STRONGEST = 12;

/** @typedef {{ scale: Scale, ink: string }} Inks */

export class Lens {
  /**
   * @param {HTMLElement} box a popover
   * @param {HTMLElement} said is read aloud
   */
  constructor(box, said) {
    this.box = box;
    this.said = said;
  }

  /**
   * @param {OverviewHeader & Cells} data
   * @param {Place} place
   * @param {string} name of what is there
   * @param {Inks} inks
   */
  show(data, { layer, head }, name, inks) {
    const { size, block, strings, model } = data;
    const start = (layer * data.heads + head) * size * size;
    const cells = data.cells.subarray(start, start + size * size);
    const names = namesOf(data);
    const title = this.box.querySelector(".title");
    title.textContent = `${model} ${name}`;
    this.box.querySelector(".note").textContent = block > 1 ? strings.pooled : "";
    const layout = layoutOf(size, window.innerWidth - 40, window.innerHeight - 120);
    this.draw(cells, names, data.rgb, inks, layout);
    const links = strongest(cells, size, STRONGEST);
    const told = links.map(
      ([value, query, key]) => `${names[query]} → ${names[key]}  ${two(value)}`,
    );
    const list = this.box.querySelector("ol");
    list.hidden = layout.printed;
    list.replaceChildren(
      ...told.map((text) => {
        const item = document.createElement("li");
        item.textContent = text;
        return item;
      }),
    );
    const [value, query, key] = links[0];
    this.said.textContent = `${title.textContent}: ${names[query]} → ${names[key]} ${two(value)}`;
    if (!this.box.matches(":popover-open")) this.box.showPopover();
  }

  hide() {
    if (this.box.matches(":popover-open")) this.box.hidePopover();
  }

  remove() {
    this.box.remove();
  }

  /**
   * Stand beside the whole overview, over the other side, where there is room; or else beside the
   * head: below, above, or to its right or left. Never over it.
   *
   * @param {DOMRect} overview
   * @param {{ left: number, top: number, step: number }} head its thumbnail in the window, and how
   *   far it is to the next one
   */
  beside(overview, { left, top, step }) {
    const { width, height } = this.box.getBoundingClientRect();
    const [wide, high] = [window.innerWidth, window.innerHeight];
    let y = clamp(top + step / 2 - height / 2, 4, Math.max(high - height - 4, 4));
    let x = overview.right + 12;
    if (x + width > wide - 4) x = overview.left - width - 12;
    if (x < 4) {
      x = clamp(left - width / 2, 8, wide - width - 8);
      y = top + step + 10;
      if (y + height > high) y = top - height - 10;
      if (y < 4) {
        y = clamp(top - height / 2, 4, Math.max(high - height - 4, 4));
        const right = left + step + 12;
        x = right + width < wide ? right : Math.max(left - width - 12, 4);
      }
    }
    this.box.style.left = `${x}px`;
    this.box.style.top = `${y}px`;
  }

  /**
   * @param {Uint16Array} cells
   * @param {string[]} names
   * @param {Rgb} rgb
   * @param {Inks} inks
   * @param {ReturnType<typeof layoutOf>} layout
   */
  draw(cells, names, [red, green, blue], { scale, ink }, { wide, high, printed }) {
    const size = names.length;
    const canvas = this.box.querySelector("canvas");
    const width = LABEL + size * wide;
    const context = sharp(canvas, width, LABEL + size * high);
    canvas.style.width = `${width}px`;
    context.font = `${FONT}px sans-serif`;
    context.fillStyle = ink;
    drawNames(context, names, wide, high);
    context.textAlign = "center";
    cells.forEach((value, index) => {
      const x = LABEL + (index % size) * wide;
      const y = LABEL + Math.floor(index / size) * high;
      context.fillStyle = `rgba(${red}, ${green}, ${blue}, ${opacity(value, scale)})`;
      context.fillRect(x, y, wide > 4 ? wide - 1 : wide, high > 4 ? high - 1 : high);
      if (printed && value >= FAINTEST) {
        context.fillStyle = ink;
        context.fillText(two(value), x + wide / 2, y + high / 2 + 3);
      }
    });
  }
}

/**
 * @param {CanvasRenderingContext2D} context
 * @param {string[]} names
 * @param {number} wide a cell
 * @param {number} high
 */
function drawNames(context, names, wide, high) {
  const every = Math.ceil(FONT / Math.min(wide, high)); // name only what fits
  for (let i = 0; i < names.length; i += every) {
    context.textAlign = "right";
    context.fillText(names[i], LABEL - 5, LABEL + (i + 0.5) * high + 3, LABEL - 6);
    context.save();
    context.translate(LABEL + (i + 0.5) * wide + 3, LABEL - 5);
    context.rotate(-Math.PI / 2);
    context.textAlign = "left";
    context.fillText(names[i], 0, 0, LABEL - 6);
    context.restore();
  }
}

/**
 * @param {OverviewHeader} data
 * @returns {string[]} of rows and columns; a block has the name of its first token
 */
export function namesOf({ labels, block, size }) {
  if (block === 1) return labels;
  return Array.from({ length: size }, (_, i) => `${labels[i * block]}…`);
}

/**
 * @param {Uint16Array} cells of one head, size x size
 * @param {number} size
 * @param {number} count
 * @returns {[value: number, query: number, key: number][]} the largest first
 */
export function strongest(cells, size, count) {
  return Array.from(
    cells,
    (value, i) => /** @type {[number, number, number]} */ ([value, Math.floor(i / size), i % size]),
  )
    .sort((a, b) => b[0] - a[0])
    .slice(0, count);
}

/**
 * @param {number} size rows and columns
 * @param {number} width of the room there is
 * @param {number} height
 * @returns {{ printed: boolean, wide: number, high: number }} whether the numbers fit, and a cell
 */
export function layoutOf(size, width, height) {
  const printed =
    LABEL + size * VALUE_CELL.width <= width && LABEL + size * VALUE_CELL.height <= height * 0.75;
  if (printed) return { printed, wide: VALUE_CELL.width, high: VALUE_CELL.height };
  const square = clamp(Math.min(width * 0.4, height * 0.6) / size, 2, 22);
  return { printed, wide: square, high: square };
}
