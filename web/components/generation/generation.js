// A generated text step by step. Step i writes token `prompt + i`.

import { inkOf } from "../common/canvas.js";
import { find, unset } from "../common/find.js";
import { mount } from "../common/mount.js";
import { MASKED, four, two } from "../common/scale.js";
import { TokenPlayer, filled } from "../decoding/token_player.js";
import { colourCells, fillRibbon, ribbonPicture, tokenCells } from "./ribbon.js";
import { cellAt, drawStrip, stripLayout } from "./strip.js";

class Generation extends TokenPlayer {
  /** @param {HTMLElement} root @param {AbortSignal} signal */
  constructor(root, signal) {
    super(root, signal);
    this.ribbon = find(root, ".ribbon");
    this.canvas = find(root, "canvas", HTMLCanvasElement);
    this.pointed = find(root, ".pointed");
    /** @type {GenerationHeader & Cells} */
    this.data = unset();
    /** @type {HTMLElement[]} one for each token */
    this.cells = unset();
    /** @type {import("./strip.js").Strip} */
    this.strip = unset();
    this.canvas.onclick = (event) => this.pick(event);
    this.canvas.onpointermove = (event) => this.point(event);
    this.canvas.onpointerleave = () => this.point();
  }

  /** @param {boolean} sameText */
  prepare(sameText) {
    const { strings, layers } = this.data;
    this.canvas.setAttribute("aria-label", strings.description);
    if (!sameText) {
      const go = (/** @type {number} */ step) => this.jump(step);
      this.cells = tokenCells(this.data, go, (step, token) => this.force(step, token));
      fillRibbon(this.ribbon, this.cells, this.data);
    }
    const [title, note, strip] = this.root.querySelectorAll(".of-layers");
    title.textContent = strings.layers;
    note.textContent = layers ? strings.layers_help : strings.too_long;
    strip.toggleAttribute("hidden", !layers);
  }

  // -- weights ---------------------------------------------------------------------------------

  /**
   * @param {number} block 0 for the head or mean that the ribbon shows, then the layers
   * @param {number} key
   * @returns {number} ten-thousandths, of this step or the mean of all; MASKED if no step sees it
   */
  weight(block, key) {
    const { cells, tokens, steps } = this.data;
    const at = (/** @type {number} */ step) =>
      cells[(block * steps.length + step) * tokens.length + key];
    if (!this.whole) return at(this.step);
    const seen = steps.map((_, step) => at(step)).filter((weight) => weight !== MASKED);
    return seen.length ? seen.reduce((sum, each) => sum + each) / seen.length : MASKED;
  }

  /**
   * @param {number} key
   * @returns {"kept" | "computed" | undefined} state of its key and value at this step
   */
  cacheState(key) {
    const { prompt, tokens } = this.data;
    if (this.whole) return key < tokens.length - 1 ? "kept" : undefined;
    const read = prompt + this.step;
    if (key >= read || this.weight(0, key) === MASKED) return undefined;
    return this.step === 0 || key === read - 1 ? "computed" : "kept";
  }

  attention() {
    const { tokens, prompt } = this.data;
    const at = prompt + this.step;
    const names = tokens.map((token) => token.trim());
    const keys = names.slice(0, at);
    const weights = keys.map((_, key) => this.weight(0, key) % MASKED); // MASKED counts as 0
    return { written: names[at], on: names[at - 1], keys, weights };
  }

  // -- drawing ---------------------------------------------------------------------------------

  drawPicture() {
    const { prompt, strings } = this.data;
    const { step, whole } = this;
    const weight = (/** @type {number} */ key) => this.weight(0, key);
    const template = whole ? strings.mean : strings.weight;
    colourCells(this.cells, { prompt, step, whole, weight, template });
    if (!whole) this.scrollTo(this.cells[prompt + step]);
    this.drawLayers();
  }

  /** Scroll a long ribbon to a cell; the page itself does not scroll. @param {HTMLElement} cell */
  scrollTo(cell) {
    const { ribbon } = this;
    const top = cell.offsetTop - ribbon.offsetTop;
    if (top < ribbon.scrollTop) ribbon.scrollTop = top;
    const below = top + cell.offsetHeight - ribbon.clientHeight;
    if (below > ribbon.scrollTop) ribbon.scrollTop = below;
  }

  drawLayers() {
    const { tokens, layers, layer, prompt, strings } = this.data;
    if (!layers) return;
    this.strip = stripLayout(layers, tokens.length, find(this.root, ".strip").clientWidth);
    drawStrip(this.canvas, this.strip, {
      names: tokens,
      weight: (row, key) => this.weight(row + 1, key),
      selected: layer,
      cacheState: (key) => this.cacheState(key),
      cacheName: strings.keys_and_values,
      written: this.whole ? -1 : prompt + this.step,
      hue: this.hue,
      ink: inkOf(this.root),
    });
  }

  picture() {
    return ribbonPicture(this.ribbon);
  }

  // -- pointer ---------------------------------------------------------------------------------

  /** @param {MouseEvent} event */
  pick({ offsetX, offsetY }) {
    const cell = cellAt(this.strip, offsetX, offsetY);
    if (cell) this.send("picked", { layer: cell.layer, at: Date.now() });
  }

  /** @param {PointerEvent} [event] none when the pointer has left */
  point(event) {
    const cell = event && cellAt(this.strip, event.offsetX, event.offsetY);
    this.cells.forEach((each, key) => each.classList.toggle("pointed-at", key === cell?.key));
    const weight = cell ? this.weight(cell.layer + 1, cell.key) : MASKED;
    if (!cell || weight === MASKED) {
      this.pointed.textContent = "";
      return;
    }
    this.pointed.textContent = filled(this.data.strings.cell, {
      layer: String(cell.layer),
      token: this.data.tokens[cell.key].trim(),
      weight: this.whole ? two(weight) : four(weight),
    });
  }
}

export default mount(".writing", Generation);
