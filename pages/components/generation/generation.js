// A text that a decoder wrote behind a prompt, watched as it was written. All steps are here: moving
// between them asks no server. At step i the token `prompt + i` is written; after the last step
// comes the whole.

import { inkOf } from "../common/canvas.js";
import { mount } from "../common/mount.js";
import { MASKED, four, two } from "../common/scale.js";
import { unpack } from "../common/unpack.js";
import { candidates, everyStep } from "../decoding/beside.js";
import { saveSvg } from "../decoding/save.js";
import { Scrubbing, filled } from "../decoding/scrubbing.js";
import { cellsOf, colour, pictureOf } from "./ribbon.js";
import { cellAt, drawStrip, place } from "./strip.js";

/** @implements {Drawing<Uint8Array>} */
class Generation extends Scrubbing {
  /**
   * @param {HTMLElement} root
   * @param {AbortSignal} signal
   */
  constructor(root, signal) {
    super(root, signal);
    this.told = root.querySelector(".told");
    /** @type {HTMLElement} */
    this.ribbon = root.querySelector(".ribbon");
    /** @type {HTMLButtonElement} */
    this.saver = root.querySelector(".save");
    this.title = root.querySelector(".beside .title");
    this.list = root.querySelector(".list");
    this.canvas = root.querySelector("canvas");
    this.pointed = root.querySelector(".pointed");
    /** @type {GenerationHeader & Cells} */
    this.data = undefined;
    this.saver.onclick = () => this.save();
    this.canvas.onclick = (event) => this.pick(event);
    this.canvas.onpointermove = (event) => this.point(event);
    this.canvas.onpointerleave = () => this.point();
  }

  /** @param {Component<Uint8Array>} component */
  receive({ data, setTriggerValue }) {
    const before = this.data;
    this.data = unpack(data);
    this.send = setTriggerValue;
    const { strings, layers, kept } = this.data;
    this.saver.title = strings.save;
    this.saver.setAttribute("aria-label", strings.save);
    this.canvas.setAttribute("aria-label", strings.description);
    if (before?.of !== this.data.of) {
      this.cells = cellsOf(
        this.data,
        (step) => this.move(step),
        (step, token) => this.force(step, token),
      );
      this.ribbon.replaceChildren(...this.cells);
    }
    const [title, note, strip] = this.root.querySelectorAll(".of-layers");
    title.textContent = strings.layers;
    note.textContent = layers ? strings.told_layers : strings.too_long;
    strip.toggleAttribute("hidden", !layers);
    this.root.querySelector(".keys").textContent = kept.title;
    this.begin(before);
  }

  /** What comes after the last step: the whole. */
  get end() {
    return this.data.steps.length;
  }

  get whole() {
    return this.step === this.end;
  }

  // -- what was looked at ----------------------------------------------------------------------

  /**
   * @param {number} block 0 for what is drawn above, then the layers in their order
   * @param {number} key
   * @returns {number} in ten-thousandths, at this step or on average; MASKED for what was not seen
   */
  weight(block, key) {
    const { cells, tokens, steps } = this.data;
    const at = (step) => cells[(block * steps.length + step) * tokens.length + key];
    if (!this.whole) return at(this.step);
    const seen = steps.map((_, step) => at(step)).filter((weight) => weight !== MASKED);
    return seen.length ? seen.reduce((sum, each) => sum + each) / seen.length : MASKED;
  }

  /**
   * @param {number} key
   * @returns {"kept" | "computed" | undefined} what happens to its key and its value at this step
   */
  keys(key) {
    const { prompt, tokens } = this.data;
    if (this.whole) return key < tokens.length - 1 ? "kept" : undefined;
    const read = prompt + this.step;
    if (key >= read || this.weight(0, key) === MASKED) return undefined;
    return this.step === 0 || key === read - 1 ? "computed" : "kept";
  }

  // -- drawing ---------------------------------------------------------------------------------

  draw() {
    if (!this.data || !this.root.clientWidth) return;
    this.drawControls();
    const { prompt, strings, kept } = this.data;
    const { step, whole } = this;
    this.told.textContent = whole ? strings.told_whole : this.tell();
    colour(this.cells, {
      prompt,
      step,
      whole,
      weight: (key) => this.weight(0, key),
      said: whole ? strings.mean : strings.weight,
    });
    if (!whole) this.bringIn(this.cells[prompt + step]);
    this.drawBeside();
    this.drawLayers();
    this.root.querySelector(".kept").textContent = whole ? kept.whole : kept.each[step];
  }

  /**
   * Of a long text, scroll to the token that is written: the page itself stands still.
   *
   * @param {HTMLElement} cell
   */
  bringIn(cell) {
    const { ribbon } = this;
    const top = cell.offsetTop - ribbon.offsetTop;
    if (top < ribbon.scrollTop) ribbon.scrollTop = top;
    const below = top + cell.offsetHeight - ribbon.clientHeight;
    if (below > ribbon.scrollTop) ribbon.scrollTop = below;
  }

  drawBeside() {
    const { steps, strings } = this.data;
    const { step, whole } = this;
    this.title.textContent = whole ? strings.each : strings.candidates;
    this.list.replaceChildren(
      ...(whole
        ? everyStep(steps, (to) => this.move(to), strings)
        : candidates(steps[step], (token) => this.force(step, token), strings)),
    );
  }

  drawLayers() {
    const { tokens, layers, layer, prompt, strings } = this.data;
    if (!layers) return;
    this.strip = place(layers, tokens.length, this.canvas.parentElement.clientWidth);
    drawStrip(this.canvas, this.strip, {
      names: tokens,
      weight: (row, key) => this.weight(row + 1, key),
      chosen: layer,
      keys: (key) => this.keys(key),
      keysName: strings.keys_short,
      written: this.whole ? -1 : prompt + this.step,
      hue: this.hue,
      ink: inkOf(this.root),
    });
  }

  tell() {
    const { tokens, prompt, strings } = this.data;
    const at = prompt + this.step;
    const seen = tokens.slice(0, at).map((_, key) => this.weight(0, key) % MASKED);
    const most = seen.indexOf(Math.max(...seen));
    return filled(strings.told, {
      written: bare(tokens[at]),
      on: bare(tokens[at - 1]),
      most: bare(tokens[most]),
      weight: two(seen[most]),
    });
  }

  // -- what a person does ----------------------------------------------------------------------

  /** @param {number} step that is gone to by a click */
  move(step) {
    this.pause();
    this.go(step);
  }

  /**
   * @param {number} step
   * @param {string} token to write instead
   */
  force(step, token) {
    this.forced = step;
    this.send("forced", { step, token, at: Date.now() });
  }

  /** @param {MouseEvent} event */
  pick({ offsetX, offsetY }) {
    const cell = cellAt(this.strip, offsetX, offsetY);
    if (cell) this.send("picked", { layer: cell.layer, at: Date.now() });
  }

  /** @param {PointerEvent} [event] none where the pointer left */
  point(event) {
    const cell = event && cellAt(this.strip, event.offsetX, event.offsetY);
    this.cells.forEach((each, key) => each.classList.toggle("met", key === cell?.key));
    const { tokens, strings } = this.data;
    const got = cell && this.weight(cell.layer + 1, cell.key);
    this.pointed.textContent =
      cell && got !== MASKED
        ? filled(strings.cell, {
            layer: String(cell.layer),
            token: bare(tokens[cell.key]),
            weight: this.whole ? two(got) : four(got),
          })
        : "";
  }

  save() {
    const picture = pictureOf(this.ribbon);
    this.root.append(picture); // what is not on the page has no colour
    saveSvg(picture, this.data.file);
    picture.remove();
  }
}

/**
 * @param {string} token
 * @returns {string} as it stands in a sentence: without the space before it
 */
function bare(token) {
  return token.trim();
}

/**
 * @param {Component<Uint8Array>} component
 * @returns {() => void}
 */
export default function (component) {
  return mount(component, ".writing", Generation);
}
