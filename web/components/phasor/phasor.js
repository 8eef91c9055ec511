// One sine/cosine pair as a point on a circle; a slider moves the position. The browser computes both
// values with the formula of the server, in 64 bits as well.

import { colourOf, hueOn } from "../common/contrast.js";
import { find, unset } from "../common/find.js";
import { formula } from "../common/formula.js";
import { mount } from "../common/mount.js";
import { shape } from "../common/svg.js";

const TRAIL = 60; // earlier positions that stay visible

/**
 * @typedef {object} PhasorData
 * @property {number} omega radians per position
 * @property {number} last the last position
 * @property {string} colour of the point and the sine
 * @property {string} second colour of the cosine
 * @property {string[]} formulas MathML
 * @property {Record<"title" | "position" | "angle" | "turns" | "sine" | "cosine", string>} strings
 */

/** @implements {Drawing<PhasorData>} */
class Phasor {
  /** @param {HTMLElement} root @param {AbortSignal} signal */
  constructor(root, signal) {
    this.root = root;
    this.svg = find(root, "svg", SVGSVGElement);
    this.slider = find(root, "input", HTMLInputElement);
    /** @type {PhasorData} */
    this.data = unset();
    this.slider.oninput = () => this.draw();
    this.slider.value = "7";
    window.addEventListener("headlight-present", () => this.paint(), { signal });
  }

  /** Set the colours for the page, or for a projector. */
  paint() {
    if (!this.data) return;
    for (const [name, colour] of [
      ["--point", this.data.colour],
      ["--second", this.data.second],
    ])
      this.root.style.setProperty(
        name,
        `rgb(${hueOn(colourOf(colour).rgb, this.root).join(", ")})`,
      );
  }

  /** @param {Component<PhasorData>} component */
  receive({ data }) {
    this.data = data;
    this.paint();
    find(this.root, ".title").textContent = data.strings.title;
    find(this.root, ".formula").replaceChildren(...data.formulas.map(formula));
    find(this.root, "label span").textContent = data.strings.position;
    this.slider.setAttribute("aria-label", data.strings.position);
    const at = Math.min(Number(this.slider.value), data.last);
    this.slider.max = String(data.last);
    this.slider.value = String(at);
    this.draw();
  }

  draw() {
    const { omega, strings } = this.data;
    const position = Number(this.slider.value);
    const angle = position * omega;
    const [sine, cosine] = [Math.sin(angle), Math.cos(angle)];
    const parts = [
      shape("circle", { class: "ring", cx: 0, cy: 0, r: 1 }),
      shape("line", { class: "axis", x1: -1.2, y1: 0, x2: 1.2, y2: 0 }),
      shape("line", { class: "axis", x1: 0, y1: -1.2, x2: 0, y2: 1.2 }),
    ];
    for (let past = Math.max(0, position - TRAIL); past < position; past++)
      parts.push(dot("past", past * omega, 0.03));
    // Cosine to the right, sine upwards (the screen's y grows downwards).
    parts.push(
      shape("line", { class: "hand", x1: 0, y1: 0, x2: cosine, y2: -sine }),
      shape("line", { class: "cosine", x1: 0, y1: 0, x2: cosine, y2: 0 }),
      shape("line", { class: "sine", x1: cosine, y1: 0, x2: cosine, y2: -sine }),
      dot("here", angle, 0.06),
    );
    this.svg.replaceChildren(...parts);
    const numbers = [
      [strings.sine, sine.toFixed(6)],
      [strings.cosine, cosine.toFixed(6)],
      [strings.angle, `${angle.toFixed(4)} rad`],
      [strings.turns, (angle / (2 * Math.PI)).toFixed(4)],
    ];
    const list = numbers.flatMap(([name, value]) => [
      text("dt", name),
      text("dd", value.replace("-", "−")),
    ]);
    find(this.root, "dl").replaceChildren(...list);
    find(this.root, "output").textContent = String(position);
    this.svg.setAttribute("aria-label", numbers.map((pair) => pair.join(" ")).join(", "));
  }
}

/** @param {string} kind @param {number} angle @param {number} r */
function dot(kind, angle, r) {
  return shape("circle", { class: kind, cx: Math.cos(angle), cy: -Math.sin(angle), r });
}

/** @param {string} name @param {string} content */
function text(name, content) {
  const element = document.createElement(name);
  element.textContent = content;
  return element;
}

/** @param {Component<PhasorData>} component @returns {() => void} */
export default function (component) {
  return mount(component, ".phasor", Phasor);
}
