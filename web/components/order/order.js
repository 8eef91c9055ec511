// Words that can be dragged into another order; arrow keys move the focused word. Each shows the
// number of its original place.

import { buttonOf, element } from "../common/element.js";
import { find, focusedElement } from "../common/find.js";
import { mount } from "../common/mount.js";
import { Part } from "../common/part.js";

/**
 * The words in their original order, and their original places in the order on screen.
 *
 * @typedef {{ words: string[], order: number[], strings: Record<string, string> }} OrderData
 */

const STEPS = /** @type {Record<string, number>} */ ({ ArrowLeft: -1, ArrowRight: 1 });

/** @extends {Part<OrderData>} */
class Order extends Part {
  words = find(this.root, ".words");
  buttons = find(this.root, ".buttons");
  order = /** @type {number[]} */ ([]);

  /** @param {Component<OrderData>} component */
  receive({ data }) {
    this.data = data;
    this.order = [...data.order];
    this.words.setAttribute("aria-label", data.strings.label);
    const typed = data.words.map((_, word) => word);
    this.buttons.replaceChildren(
      this.action(data.strings.shuffle, () => shuffled(this.order)),
      this.action(data.strings.reverse, () => [...this.order].reverse()),
      this.action(data.strings.typed, () => typed),
    );
    this.draw();
  }

  /** @param {string} label @param {() => number[]} order returns the new order */
  action(label, order) {
    return buttonOf("", label, () => {
      this.order = order();
      this.draw();
      this.commit();
    });
  }

  commit() {
    this.send("moved", { order: this.order });
  }

  draw() {
    const focused = focusedElement(this.words)?.dataset.word;
    this.words.replaceChildren(...this.order.map((word, place) => this.chip(word, place)));
    if (focused !== undefined) this.chipOf(focused)?.focus();
    const [, reversed, typed] = this.buttons.children;
    const words = this.data.words.map((_, word) => word);
    typed.ariaPressed = String(this.order.join() === words.join());
    reversed.ariaPressed = String(this.order.join() === words.reverse().join());
  }

  /** @param {number | string} word @returns {HTMLElement | null} */
  chipOf(word) {
    return this.words.querySelector(`[data-word="${word}"]`);
  }

  /** @param {number} word @param {number} place */
  chip(word, place) {
    const moved = word === place ? "" : "moved";
    const number = element("small", "", String(word));
    const button = element("button", moved, this.data.words[word], number);
    button.type = "button";
    button.dataset.word = String(word);
    button.setAttribute("role", "option");
    button.onpointerdown = (event) => this.hold(event, button, word);
    button.onkeydown = (event) => {
      const step = STEPS[event.key];
      if (!step) return;
      event.preventDefault();
      this.move(word, this.order.indexOf(word) + step);
      this.commit();
    };
    return button;
  }

  /** @param {number} word @param {number} place */
  move(word, place) {
    if (place < 0 || place >= this.order.length) return;
    this.order.splice(this.order.indexOf(word), 1);
    this.order.splice(place, 0, word);
    this.draw();
  }

  /** Drag a word. @type {(event: PointerEvent, button: HTMLElement, word: number) => void} */
  hold(event, button, word) {
    const before = this.order.join();
    this.words.setPointerCapture(event.pointerId);
    button.classList.add("held");
    // A long word stays under the pointer after it has changed places: do not move back.
    let passed = word;
    this.words.onpointermove = ({ clientX, clientY }) => {
      const root = /** @type {ShadowRoot} */ (this.words.getRootNode());
      const chip = root.elementFromPoint(clientX, clientY)?.closest("[data-word]");
      const over = Number(chip?.getAttribute("data-word") ?? word);
      if (over === passed) return;
      passed = over;
      if (over === word) return;
      this.move(word, this.order.indexOf(over));
      this.chipOf(word)?.classList.add("held");
    };
    this.words.onpointerup = this.words.onpointercancel = () => {
      this.words.onpointermove = this.words.onpointerup = this.words.onpointercancel = null;
      this.draw();
      if (this.order.join() !== before) this.commit();
    };
  }
}

/** @param {number[]} order @returns {number[]} a random order, another one if there is one */
function shuffled(order) {
  const next = [...order];
  do {
    for (let last = next.length - 1; last > 0; last--) {
      const other = Math.floor(Math.random() * (last + 1));
      [next[last], next[other]] = [next[other], next[last]];
    }
  } while (next.length > 1 && next.join() === order.join());
  return next;
}

export default mount(".order", Order);
