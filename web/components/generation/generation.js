// A generated text step by step; step i writes token `prompt + i`. The text is a ribbon of tokens that
// wraps like text, coloured by their weights. Their probabilities are in the list beside it.

import { buttonOf, element } from "../common/element.js";
import { find, unset } from "../common/find.js";
import { mount } from "../common/mount.js";
import { MASKED, WHOLE, two } from "../common/scale.js";
import { TokenPlayer } from "../decoding/token_player.js";

const DARKEST = 72; // per cent of the hue for a weight of 1

/** @extends {TokenPlayer<GenerationHeader & Cells>} */
class Generation extends TokenPlayer {
  ribbon = find(this.root, ".ribbon");
  numbers = element("p", "numbers");
  about = element("p", "about_head");
  /** @type {HTMLElement[]} one for each token */
  cells = unset();

  /** @param {boolean} sameText */
  prepare(sameText) {
    this.numbers.textContent = this.data.numbers;
    this.about.textContent = this.data.about_head;
    if (sameText) return;
    this.root.querySelector("svg")?.remove(); // translations have a picture in its place
    this.root.classList.add("writing");
    this.cells = this.data.tokens.map((token, place) => this.cell(token, place));
    const above = element("div", "above", this.data.strings.above);
    this.ribbon.replaceChildren(above, ...this.cells);
    this.ribbon.after(this.numbers, this.about);
  }

  /** @param {string} token @param {number} place */
  cell(token, place) {
    const { prompt, control, steps, strings } = this.data;
    const step = place - prompt;
    const written = step >= 0;
    const word = written
      ? buttonOf("word", token, () => this.jump(step))
      : element("span", "word", token);
    const cell = element("div", "cell", element("span", "weight"), word);
    cell.classList.toggle("written", written);
    cell.classList.toggle("control", control.includes(place));
    if (control.includes(place)) word.title = strings.control;
    if (!written) return cell;
    word.title = strings.go_to_step;
    if (steps[step].forced) cell.append(element("span", "forced", strings.forced));
    return cell;
  }

  /** MASKED if hidden from the step. @param {number} step @param {number} key */
  at(step, key) {
    return this.data.cells[step * this.data.tokens.length + key];
  }

  /** Of this step, or the mean of all; MASKED if no step sees it. @param {number} key */
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

  drawPicture() {
    const { prompt, strings } = this.data;
    const { step, whole } = this;
    const at = prompt + step;
    const template = whole ? strings.mean : strings.weight;
    this.cells.forEach((cell, place) => {
      const weight = this.weight(place);
      const shown = weight === MASKED ? 0 : weight;
      cell.style.setProperty("--strength", (DARKEST * Math.sqrt(shown / WHOLE)).toFixed(1));
      const number = /** @type {HTMLElement} */ (cell.firstElementChild);
      number.textContent = shown < WHOLE / 200 ? "" : two(shown);
      number.title = template.replace("{weight}", two(shown));
      cell.classList.toggle("now", !whole && place === at);
      cell.classList.toggle("on", !whole && place === at - 1);
      cell.classList.toggle("later", !whole && place > at);
    });
    if (!whole) this.scrollTo(this.cells[at]);
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
