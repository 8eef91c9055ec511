// One head enlarged: its cells, with their numbers where they fit, or else the strongest links.

import { sharp } from "../common/canvas.js";
import { MASKED, clamp, opacity, two } from "../common/scale.js";

/** @import { Scale } from "../common/scale.js" */

const FONT = 10;
const VALUE_CELL = { width: 26, height: 17 };
const FAINTEST = 100; // a weight below 0.01 is a colour without a number
const LABEL = 74; // pixels for the names of the tokens, to the left and above
const STRONGEST = 12;
const HATCH = 6; // pixels from one line of a masked cell to the next

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
   * @param {OverviewHeader} data
   * @param {Uint16Array} cells of one head, by rows
   * @param {string} name of it
   * @param {Place} place of it
   * @param {Inks} inks
   */
  show(data, cells, name, { head }, inks) {
    const { strings, model, shared } = data;
    const keys = data.keys ?? data;
    const [names, keyNames] = [namesOf(data), namesOf(keys)];
    const title = this.box.querySelector(".title");
    title.textContent = `${model} ${name}`;
    const pooled = data.block > 1 || keys.block > 1;
    const group = shared?.said[Math.floor(head / shared.heads)];
    const notes = [data.keys && strings.axes, group, pooled && strings.pooled];
    this.box.querySelector(".note").textContent = notes.filter(Boolean).join(" ");
    const layout = layoutOf(
      names.length,
      keyNames.length,
      window.innerWidth - 40,
      window.innerHeight - 120,
    );
    this.draw(cells, [names, keyNames], data.rgb, inks, layout);
    const links = strongest(cells, keyNames.length, STRONGEST);
    const told = links.map(
      ([value, query, key]) => `${names[query]} → ${keyNames[key]}  ${two(value)}`,
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
    this.said.textContent = `${title.textContent}: ${names[query]} → ${keyNames[key]} ${two(value)}`;
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
   * @param {{ left: number, top: number, wide: number, high: number }} head its thumbnail in the
   *   window, and how far it is to the next one
   */
  beside(overview, head) {
    const { left, top } = head;
    const { width, height } = this.box.getBoundingClientRect();
    const [wide, high] = [window.innerWidth, window.innerHeight];
    let y = clamp(top + head.high / 2 - height / 2, 4, Math.max(high - height - 4, 4));
    let x = overview.right + 12;
    if (x + width > wide - 4) x = overview.left - width - 12;
    if (x < 4) {
      x = clamp(left - width / 2, 8, wide - width - 8);
      y = top + head.high + 10;
      if (y + height > high) y = top - height - 10;
      if (y < 4) {
        y = clamp(top - height / 2, 4, Math.max(high - height - 4, 4));
        const right = left + head.wide + 12;
        x = right + width < wide ? right : Math.max(left - width - 12, 4);
      }
    }
    this.box.style.left = `${x}px`;
    this.box.style.top = `${y}px`;
  }

  /**
   * @param {Uint16Array} cells
   * @param {[queries: string[], keys: string[]]} names
   * @param {Rgb} rgb
   * @param {Inks} inks
   * @param {ReturnType<typeof layoutOf>} layout
   */
  draw(cells, names, [red, green, blue], { scale, ink }, { wide, high, printed }) {
    const [rows, columns] = [names[0].length, names[1].length];
    const canvas = this.box.querySelector("canvas");
    const width = LABEL + columns * wide;
    const context = sharp(canvas, width, LABEL + rows * high);
    canvas.style.width = `${width}px`;
    context.font = `${FONT}px sans-serif`;
    context.fillStyle = ink;
    drawNames(context, names, wide, high);
    drawMasked(context, cells, columns, wide, high);
    context.textAlign = "center";
    cells.forEach((value, index) => {
      if (value === MASKED) return;
      const x = LABEL + (index % columns) * wide;
      const y = LABEL + Math.floor(index / columns) * high;
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
 * @param {[queries: string[], keys: string[]]} names
 * @param {number} wide a cell
 * @param {number} high
 */
function drawNames(context, [queries, keys], wide, high) {
  const every = Math.ceil(FONT / Math.min(wide, high)); // name only what fits
  context.textAlign = "right";
  for (let i = 0; i < queries.length; i += every)
    context.fillText(queries[i], LABEL - 5, LABEL + (i + 0.5) * high + 3, LABEL - 6);
  context.textAlign = "left";
  for (let i = 0; i < keys.length; i += every) {
    context.save();
    context.translate(LABEL + (i + 0.5) * wide + 3, LABEL - 5);
    context.rotate(-Math.PI / 2);
    context.fillText(keys[i], 0, 0, LABEL - 6);
    context.restore();
  }
}

/**
 * What the mask hides is hatched: it is no weight of 0.
 *
 * @param {CanvasRenderingContext2D} context its fill style is the colour of text
 * @param {Uint16Array} cells
 * @param {number} columns
 * @param {number} wide a cell
 * @param {number} high
 */
function drawMasked(context, cells, columns, wide, high) {
  const hidden = new Path2D();
  cells.forEach((value, index) => {
    if (value !== MASKED) return;
    hidden.rect(
      LABEL + (index % columns) * wide,
      LABEL + Math.floor(index / columns) * high,
      wide,
      high,
    );
  });
  context.save();
  context.clip(hidden);
  context.strokeStyle = context.fillStyle;
  context.globalAlpha = 0.22;
  const [right, bottom] = [columns * wide, (cells.length / columns) * high];
  context.beginPath();
  for (let at = HATCH; at < right + bottom; at += HATCH) {
    context.moveTo(LABEL + at, LABEL);
    context.lineTo(LABEL + at - bottom, LABEL + bottom);
  }
  context.stroke();
  context.restore();
}

/**
 * @param {Pick<OverviewHeader, "labels" | "block" | "size"> | OtherKeys} side
 * @returns {string[]} of rows or columns; a block has the name of its first token
 */
export function namesOf({ labels, block, size }) {
  if (block === 1) return labels;
  return Array.from({ length: size }, (_, i) => `${labels[i * block]}…`);
}

/**
 * @param {Uint16Array} cells of one head, by rows
 * @param {number} columns
 * @param {number} count
 * @returns {[value: number, query: number, key: number][]} the largest first; none that is masked
 */
export function strongest(cells, columns, count) {
  return Array.from(
    cells,
    (value, i) =>
      /** @type {[number, number, number]} */ ([value, Math.floor(i / columns), i % columns]),
  )
    .filter(([value]) => value !== MASKED)
    .sort((a, b) => b[0] - a[0])
    .slice(0, count);
}

/**
 * @param {number} rows
 * @param {number} columns
 * @param {number} width of the room there is
 * @param {number} height
 * @returns {{ printed: boolean, wide: number, high: number }} whether the numbers fit, and a cell
 */
export function layoutOf(rows, columns, width, height) {
  const printed =
    LABEL + columns * VALUE_CELL.width <= width &&
    LABEL + rows * VALUE_CELL.height <= height * 0.75;
  if (printed) return { printed, wide: VALUE_CELL.width, high: VALUE_CELL.height };
  const square = clamp(Math.min(width * 0.4, height * 0.6) / Math.max(rows, columns), 2, 22);
  return { printed, wide: square, high: square };
}
