// A translation step by step. Step i writes target token i + 1.

import { find } from "../common/find.js";
import { mount } from "../common/mount.js";
import { alignment } from "./alignment.js";
import { TokenPlayer, mostOf } from "./token_player.js";

/** @extends {TokenPlayer<DecodingHeader & Cells>} */
class Decoding extends TokenPlayer {
  svg = find(this.root, "svg", SVGSVGElement);

  prepare() {
    this.svg.setAttribute("aria-label", this.data.strings.description);
  }

  /** @param {number} query @param {number} key */
  cross(query, key) {
    return this.data.cells[query * this.data.source.length + key];
  }

  /** @param {number} step */
  attention(step) {
    const { source, target } = this.data;
    const weights = source.map((_, key) => this.cross(step, key));
    return { written: target[step + 1], keys: source, weights };
  }

  /** About the first token that goes back in the source: there, the order of the words changes. */
  wholeSummary() {
    const places = this.data.steps.map((_, step) => mostOf(this.attention(step).weights));
    const back = places.findIndex((place, step) => step > 0 && place < places[step - 1]);
    return this.stepSummary(Math.max(back, 0));
  }

  drawPicture() {
    const width = this.board.clientWidth;
    const cross = this.cross.bind(this);
    const { height, shapes } = alignment({ ...this.data, step: this.step, width, cross });
    this.svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
    this.svg.setAttribute("height", String(height));
    this.svg.replaceChildren(...shapes);
  }
}

export default mount(".decoding", Decoding);
