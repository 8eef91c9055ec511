// All heads of one model on one canvas, and a lens that enlarges one of them.
//
// The weights arrive once per sentence, as 16-bit integers in ten-thousandths. After that,
// hovering, arrow keys and enlarging need no request, except for the heads of a long sentence. The
// selected head is not part of this message, which would then be sent after every click. It is part
// of the page's view: see sync.js.

import { inkOf, onResize } from "../common/canvas.js";
import { hueOn } from "../common/contrast.js";
import { find, unset } from "../common/find.js";
import { mount } from "../common/mount.js";
import { clamp, scaleOf } from "../common/scale.js";
import { headName } from "../common/selection.js";
import { roomBefore } from "../common/stage.js";
import { unpack } from "../common/unpack.js";
import { walked } from "../common/next_head.js";
import { Exact } from "../capture_view/exact.js";
import { moved } from "../capture_view/fold.js";
import { Grid } from "../capture_view/grid.js";
import { Lens } from "./lens.js";

/** @import { Outline } from "../capture_view/grid.js" */

const PHONE = 640; // pixels, as in page.css: in a window up to this width, the sides are stacked

/** @type {Record<string, [down: number, across: number]>} */
const MOVES = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };

class Overview {
  /**
   * @param {HTMLElement} root
   * @param {AbortSignal} signal
   * @param {import("../common/outbox.js").Outbox} outbox
   */
  constructor(root, signal, outbox) {
    this.root = root;
    this.outbox = outbox;
    this.canvas = find(root, "canvas.grid", HTMLCanvasElement);
    this.grid = new Grid(this.canvas);
    this.lens = new Lens(find(root, ".lens"), find(root, ".said"));
    this.data = /** @type {OverviewHeader & Cells} */ (unset());
    this.exact = /** @type {Exact} */ (unset());
    this.send = /** @type {Component<Uint8Array>["setTriggerValue"]} */ (unset());
    this.ink = /** @type {string} */ (unset());
    this.selected = /** @type {Place} */ ({ layer: 0, head: 0 });
    this.hovered = /** @type {Place | null} */ (null);
    this.at = 0; // time of the newest selection in this browser
    this.scale = scaleOf();
    this.canvas.onpointermove = (event) => this.hover(event);
    this.canvas.onpointerleave = () => this.leave();
    this.canvas.onclick = (event) => this.click(event);
    this.canvas.onkeydown = (event) => this.key(event);
    this.canvas.onblur = () => this.leave();
    window.addEventListener("headlight-view", (event) => this.follow(event.detail), { signal });
    window.addEventListener("headlight-preview", (event) => this.preview(event.detail), { signal });
    window.addEventListener("headlight-walk", (event) => this.walk(event), { signal });
    window.addEventListener("headlight-run-end", ({ detail }) => this.forget(detail), { signal });
    window.addEventListener("keydown", (event) => this.escape(event), { signal });
    window.addEventListener("pointerdown", (event) => this.touch(event), { signal });
    signal.addEventListener("abort", () => this.exact?.forget());
    signal.addEventListener("abort", () => this.lens.hide());
    // The lens has a fixed place, which is no longer beside its head.
    window.addEventListener("scroll", () => this.lens.hide(), { capture: true, signal });
    onResize(root, () => this.draw(), signal);
    window.addEventListener("resize", () => this.draw(), { signal }); // its height matters too
  }

  /** @param {Component<Uint8Array>} component */
  receive(component) {
    this.send = component.setTriggerValue;
    this.ink = inkOf(this.root);
    this.data = unpack(component.data);
    this.exact?.forget();
    this.exact = new Exact(this.data);
    this.grid.receive(this.data, this.ink);
    this.canvas.setAttribute("aria-label", this.data.description);
    if (window.headlightView) this.adopt(window.headlightView);
    this.draw();
  }

  /**
   * @param {Place} place
   * @returns {string} the name of a thumbnail: of a head, or of the page's own column
   */
  name({ layer, head }) {
    const { columns } = this.data;
    if (!columns) return headName(layer, head);
    return columns[head] || `L${layer}`; // without a name of the column, use the row's
  }

  // -- the page's view -------------------------------------------------------------------------

  /** @param {View} view */
  adopt(view) {
    // The answer to an earlier key must not undo a later one.
    if (view.at >= this.at) this.selected = { ...view[this.data.side] };
    this.scale = scaleOf(view);
  }

  /** @param {RunEnd} end after a reconnect, the session may not know the newest selection */
  forget({ reconnected }) {
    const waits = this.timer !== undefined || this.outbox.waits("picked");
    if (reconnected && !waits) this.at = 0;
  }

  /** @param {View} view */
  follow(view) {
    if (!this.data) return;
    this.adopt(view);
    this.draw();
  }

  /** @param {Preview} preview */
  preview({ side, layer, head, at }) {
    if (!this.data || side === this.data.side) return;
    this.at = at;
    this.selected = this.inside(layer, head);
    this.draw();
  }

  /** @param {number} layer @param {number} head @returns {Place} the nearest place in the model */
  inside(layer, head) {
    return {
      layer: clamp(layer, 0, this.data.layers - 1),
      head: clamp(head, 0, this.data.heads - 1),
    };
  }

  // -- input -----------------------------------------------------------------------------------

  /** @param {PointerEvent} event */
  hover(event) {
    if (event.pointerType === "touch") return;
    const cell = this.grid.at(event);
    const same =
      cell && this.hovered && cell.layer === this.hovered.layer && cell.head === this.hovered.head;
    if (same) return;
    this.hovered = cell;
    this.draw();
    if (cell) this.enlarge(cell);
    else this.hide();
  }

  /** @param {KeyboardEvent} event */
  escape(event) {
    if (event.key === "Escape") this.leave();
  }

  /** @param {PointerEvent} event anywhere: a touch closes the lens */
  touch(event) {
    if (event.pointerType === "touch") this.leave();
  }

  leave() {
    this.hovered = null;
    this.hide();
    this.draw();
  }

  /** @param {PointerEvent} event */
  click(event) {
    const cell = this.grid.at(event);
    if (!cell) return;
    this.select(cell);
    // The large maps show the selected head, which the lens could cover. On a phone, they are off the
    // screen.
    if (event.pointerType === "touch" && window.innerWidth <= PHONE) this.enlarge(cell);
    else this.hide();
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    const move = MOVES[event.key];
    if (!move) return;
    event.preventDefault();
    this.hovered = null;
    const { layer, head } = moved(this.selected, move, this.data, this.grid.rows);
    const cell = this.inside(layer, head);
    this.select(cell, 120); // debounce: a key that is held down sends one request
    this.enlarge(cell);
  }

  /** @param {CustomEvent<Move>} event an arrow key, pressed anywhere while heads are presented */
  walk(event) {
    if (event.defaultPrevented || !this.data || this.data.columns || !this.root.clientWidth) return;
    event.preventDefault();
    this.leave();
    const { layers, heads } = this.data;
    const to = walked({ ...this.selected, layers, heads }, event.detail);
    this.select(this.inside(to.layer, to.head), 120);
  }

  /** @param {Place} cell @param {number} [wait] milliseconds of debounce before the request */
  select(cell, wait = 0) {
    this.selected = cell;
    const at = (this.at = Math.max(Date.now(), this.at + 1));
    this.draw();
    const detail = { side: this.data.side, ...cell, at };
    window.dispatchEvent(new CustomEvent("headlight-preview", { detail }));
    clearTimeout(this.timer);
    const send = () => {
      this.timer = undefined;
      this.send("picked", { ...cell, at });
    };
    if (wait) this.timer = setTimeout(send, wait);
    else send();
  }

  // -- drawing ---------------------------------------------------------------------------------

  draw() {
    const width = this.root.clientWidth;
    if (!this.data || !width) return;
    /** @type {Outline[]} */
    const outlines = [[this.selected, this.ink, 2.5]];
    if (this.hovered) outlines.push([this.hovered, this.ink, 1]);
    const stage = roomBefore(this.canvas, this.root);
    const rgb = hueOn(this.data.rgb, this.root);
    this.grid.draw({ width, screen: window.innerHeight, stage }, this.scale, outlines, rgb);
    this.canvas.dataset.selected = this.name(this.selected);
    this.canvas.dataset.sentence = this.data.sentence;
    this.canvas.dataset.model = this.data.model;
  }

  /** @param {Place} place shown when its weights arrive, unless a newer request replaces this one */
  enlarge(place) {
    const cells = this.exact.of([place.layer, place.head]);
    if (!cells) {
      this.exact.request([place.layer, place.head]).then((known) => known && this.enlarge(place));
      return;
    }
    this.exact.forget();
    const inks = { scale: this.scale, ink: this.ink };
    this.lens.show(this.data, cells, this.name(place), place, inks);
    this.lens.beside(this.grid.box(), this.grid.where(place));
  }

  hide() {
    this.exact?.forget();
    this.lens.hide();
  }
}

export default mount(".overview", Overview);
