// A generated text step by step. Step i writes token `prompt + i`.

import { find, unset } from "../common/find.js";
import { mount } from "../common/mount.js";
import { MASKED } from "../common/scale.js";
import { TokenPlayer } from "../decoding/token_player.js";
import { colourCells, fillRibbon, tokenCells } from "./ribbon.js";

/** @extends {TokenPlayer<GenerationHeader & Cells>} */
class Generation extends TokenPlayer {
  /** @param {Made} made */
  constructor(...made) {
    super(...made);
    const { root } = this;
    // Translations have a picture in its place.
    root.querySelector("svg")?.remove();
    root.classList.add("writing");
    this.ribbon = find(root, ".ribbon");
    /** @type {HTMLElement[]} one for each token */
    this.cells = unset();
  }

  /** @param {boolean} sameText */
  prepare(sameText) {
    if (sameText) return;
    const go = (/** @type {number} */ step) => this.jump(step);
    this.cells = tokenCells(this.data, go, (step, token) => this.force(step, token));
    fillRibbon(this.ribbon, this.cells, this.data);
  }

  // -- weights ---------------------------------------------------------------------------------

  /**
   * @param {number} step
   * @param {number} key
   * @returns {number} ten-thousandths; MASKED if the step does not see it
   */
  at(step, key) {
    return this.data.cells[step * this.data.tokens.length + key];
  }

  /**
   * @param {number} key
   * @returns {number} ten-thousandths, of this step or the mean of all; MASKED if no step sees it
   */
  weight(key) {
    if (!this.whole) return this.at(this.step, key);
    const seen = this.data.steps
      .map((_, step) => this.at(step, key))
      .filter((weight) => weight !== MASKED);
    return seen.length ? seen.reduce((sum, each) => sum + each) / seen.length : MASKED;
  }

  /** @param {number} step */
  attention(step) {
    const names = this.data.tokens.map((token) => token.trim());
    const at = this.data.prompt + step;
    const keys = names.slice(0, at);
    const weights = keys.map((_, key) => this.at(step, key) % MASKED); // MASKED counts as 0
    return { written: names[at], keys, weights };
  }

  // -- drawing ---------------------------------------------------------------------------------

  drawPicture() {
    const { prompt, strings } = this.data;
    const { step, whole } = this;
    const weight = (/** @type {number} */ key) => this.weight(key);
    const template = whole ? strings.mean : strings.weight;
    colourCells(this.cells, { prompt, step, whole, weight, template });
    if (!whole) this.scrollTo(this.cells[prompt + step]);
  }

  /** Scroll a long ribbon to a cell; the page itself does not scroll. @param {HTMLElement} cell */
  scrollTo(cell) {
    const { ribbon } = this;
    const top = cell.offsetTop - ribbon.offsetTop;
    if (top < ribbon.scrollTop) ribbon.scrollTop = top;
    const below = top + cell.offsetHeight - ribbon.clientHeight;
    if (below > ribbon.scrollTop) ribbon.scrollTop = below;
  }
}

export default mount(".decoding", Generation);
