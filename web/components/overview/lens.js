// Lens: one head enlarged beside the pointer.

import { find } from "../common/find.js";
import { clamp } from "../common/scale.js";
import { drawEnlarged, fillList, layoutOf, linksOf, namesOf } from "./enlarged.js";

/** @import { Inks } from "./enlarged.js" */

const STRONGEST = 12;

export class Lens {
  /**
   * @param {HTMLElement} box a popover
   * @param {HTMLElement} announcement live region for screen readers
   */
  constructor(box, announcement) {
    this.box = box;
    this.announcement = announcement;
  }

  /**
   * @param {OverviewHeader} data
   * @param {Uint16Array} cells of one head, by rows
   * @param {string} name of the head
   * @param {Place} place of the head
   * @param {Inks} inks
   */
  show(data, cells, name, { head }, inks) {
    const { strings, model, shared } = data;
    const keys = data.keys ?? data;
    const [names, keyNames] = [namesOf(data), namesOf(keys)];
    const title = find(this.box, ".title");
    title.textContent = `${model} ${name}`;
    const pooled = data.block > 1 || (keys.block ?? 1) > 1;
    const group = shared?.sentences[Math.floor(head / shared.heads)];
    const notes = [data.keys && strings.axes, group, pooled && strings.pooled];
    find(this.box, ".note").textContent = notes.filter(Boolean).join(" ");
    const layout = layoutOf(
      names.length,
      keyNames.length,
      window.innerWidth - 40,
      window.innerHeight - 120,
    );
    const both = /** @type {[string[], string[]]} */ ([names, keyNames]);
    const canvas = find(this.box, "canvas", HTMLCanvasElement);
    drawEnlarged(canvas, { cells, names: both, rgb: data.rgb }, inks, layout);
    const links = linksOf(cells, both, STRONGEST);
    const list = find(this.box, "ol");
    list.hidden = layout.printed;
    fillList(list, links);
    this.announcement.textContent = `${title.textContent}: ${links[0].replace("  ", " ")}`;
    if (!this.box.matches(":popover-open")) this.box.showPopover();
  }

  hide() {
    if (this.box.matches(":popover-open")) this.box.hidePopover();
  }

  /**
   * Place the box beside the whole overview, if there is room. Otherwise place it below, above, to
   * the right or to the left of the head. It never covers the head.
   *
   * @param {DOMRect} overview
   * @param {{ left: number, top: number, wide: number, high: number }} head its thumbnail in the
   *   window, and the distance to the next one
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
}
