// All heads of a subject on one canvas. The pointer previews a head in the large map; a click selects it.

import { inkOf, onResize } from "../common/canvas.js";
import { clamp } from "../common/scale.js";
import { magnified, presenting } from "../common/stage.js";
import { moved } from "./fold.js";
import { Grid } from "./grid.js";
import { HELD, nameOf } from "./store.js";

/** @import { Head, Store } from "./store.js" */
/** @import { Outline } from "./grid.js" */

const PRESENTED = 0.3; // share of a presented screen's height
const TALL = 0.44; // share of the window's height, if the selected head is beside all heads

/** @type {Record<string, [down: number, across: number]>} */
const MOVES = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };

export class Heads {
  /** @param {HTMLElement} box @param {Store} store @param {Side} side @param {AbortSignal} signal */
  constructor(box, store, side, signal) {
    this.box = box;
    this.store = store;
    this.side = side;
    this.canvas = document.createElement("canvas");
    this.canvas.className = "grid";
    this.canvas.tabIndex = 0;
    this.canvas.setAttribute("role", "application");
    this.grid = new Grid(this.canvas);
    /** @type {Subject | null} the subject that the grid has received */
    this.shown = null;
    box.append(this.canvas);
    this.canvas.onpointermove = (event) => event.pointerType !== "touch" && this.hover(event);
    this.canvas.onpointerleave = () => this.preview(null);
    this.canvas.onblur = () => this.preview(null);
    this.canvas.onclick = (event) => this.click(event);
    this.canvas.onkeydown = (event) => this.key(event);
    onResize(box, () => this.draw(), signal);
    window.addEventListener("resize", () => this.draw(), { signal }); // its height matters too
  }

  get subject() {
    return this.store.subject(this.side);
  }

  /** @param {MouseEvent} event */
  hover(event) {
    const place = this.grid.at(event);
    this.preview(place && [place.layer, place.head]);
  }

  /** @param {Head | null} head */
  preview(head) {
    const { hovered } = this.store;
    const before = hovered?.side === this.side ? hovered.head : null;
    if (String(before) === String(head)) return;
    this.store.hovered = head && { side: this.side, head };
    this.store.changed();
  }

  /** @param {MouseEvent} event */
  click(event) {
    const place = this.grid.at(event);
    if (!place) return;
    const head = /** @type {Head} */ ([place.layer, place.head]);
    if (event.shiftKey) this.store.overlay(head);
    else this.store.selectHead(this.side, head, event.ctrlKey || event.metaKey);
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    const move = MOVES[event.key];
    if (!move) return;
    event.preventDefault();
    const [layer, head] = this.store.headOf(this.subject);
    const to = moved({ layer, head }, move, this.subject, this.grid.rows);
    const { layers, heads } = this.subject;
    /** @type {Head} */
    const inside = [clamp(to.layer, 0, layers - 1), clamp(to.head, 0, heads - 1)];
    this.store.selectHead(this.side, inside, false, HELD);
  }

  draw() {
    const { subject, store } = this;
    const width = this.box.clientWidth;
    if (!subject || !width) return;
    const ink = inkOf(this.box);
    if (this.shown !== subject) {
      this.grid.receive(subject, ink);
      this.canvas.setAttribute("aria-label", subject.description);
      this.shown = subject;
    }
    /** @type {(head: Head, colour: string, width: number) => Outline} */
    const outline = ([layer, head], colour, thick) => [{ layer, head }, colour, thick];
    const selected = store.headOf(subject);
    const outlines = store
      .drawnHeads(subject)
      .slice(1)
      .map((head, index) => outline(head, subject.colours[index + 1], 2));
    outlines.push(outline(selected, ink, 2.5));
    if (store.hovered?.side === this.side) outlines.push(outline(store.hovered.head, ink, 1));
    const screen = window.innerHeight / magnified();
    const beside = this.box.nextElementSibling && this.box.parentElement?.matches(".one > *");
    const share = presenting() ? PRESENTED : beside ? TALL : 0;
    const room = { width, screen, ...(share && { stage: share * screen }) };
    const dimmed = new Set(store.selection.dimmed[this.side]?.map(String));
    this.grid.draw(room, store.scale(), outlines, subject.rgb, dimmed);
    this.canvas.dataset.selected = nameOf(subject, selected);
    this.canvas.dataset.sentence = subject.sentence;
    this.canvas.dataset.model = subject.model;
  }
}
