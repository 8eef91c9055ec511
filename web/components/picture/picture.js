// The picture of a model: nested lists whose items are the boxes. Every link opens a view without a
// reload; zooming grows the new picture out of the clicked box.

import { context2d } from "../common/canvas.js";
import { element } from "../common/element.js";
import { find, findAll } from "../common/find.js";
import { goTo } from "../common/navigation.js";
import { mount } from "../common/mount.js";
import { Part } from "../common/part.js";
import { roving } from "../common/roving.js";
import { withTerms } from "../common/words.js";

const FULL = 127; // the strongest shade, as in viz/picture.py
const GROWING = { duration: 250, easing: "ease-out" };

/** @typedef {{ columns: number, shades: string }} ShadedCells signed bytes in base64 */

/**
 * A box: viz/picture.py explains the properties.
 *
 * @typedef {{ kind: string, name: string, values?: [label: string, text: string][], note?: string,
 *   link?: string, area?: number, shade?: number, current?: boolean, cells: ShadedCells[],
 *   items: PictureBox[] }} PictureBox
 */

/**
 * What is shown (whole, layer, head or score); the colours of negative and positive numbers, and of
 * weights; the quoted texts, by their placeholders in links.
 *
 * @typedef {{ zoom: string, low: Rgb, high: Rgb, hue: Rgb, texts: Record<string, string>,
 *   path: PictureBox[], scale: string, boxes: PictureBox[], strings: Record<string, string> }} PictureData
 */

/** @extends {Part<PictureData>} */
class Picture extends Part {
  path = find(this.root, ".path");
  boxes = find(this.root, ".boxes");
  /** @type {DOMRect | undefined} the clicked box, from which the next picture grows */
  clicked = undefined;

  /** @param {Component<PictureData>} component */
  receive({ data }) {
    const { data: before } = this;
    const zoomed = before && before.zoom !== data.zoom;
    const hadFocus = this.root.matches(":focus-within");
    this.data = data;
    this.root.onclick = (event) => this.follow(event);
    this.root.dataset.zoom = data.zoom;
    for (const hue of /** @type {const} */ (["hue", "low", "high"]))
      this.root.style.setProperty(`--${hue}`, data[hue].join(" "));
    const layers = data.boxes.filter(({ kind }) => kind === "layer");
    this.root.style.setProperty("--layers", String(layers.length));
    find(this.root, "nav").setAttribute("aria-label", data.strings.path);
    find(this.root, ".scale").replaceChildren(...withTerms(data.scale));
    find(this.root, ".low").textContent = data.strings.negative;
    find(this.root, ".high").textContent = data.strings.positive;
    this.path.replaceChildren(...data.path.map((box) => this.item(box)));
    this.boxes.replaceChildren(...data.boxes.map((box) => this.item(box)));
    for (const list of findAll(this.root, "ol.row")) {
      const links = findAll(list, ":scope > li > a");
      roving(list, () => links);
    }
    if (hadFocus) find(this.path, "[aria-current]").focus();
    if (zoomed && this.clicked) this.grow(this.clicked);
    this.clicked = undefined;
  }

  /** @param {PictureBox} box */
  item(box) {
    const item = element("li", box.kind);
    if (box.area !== undefined) item.style.setProperty("--area", String(box.area));
    // The token table would fill the page: it is drawn as high as a layer, with an open end.
    item.classList.toggle("cut", box.kind === "table" && (box.area ?? 0) > 1);
    if (box.shade !== undefined) item.style.setProperty("--shade", String(box.shade));
    item.append(this.face(box));
    if (box.items.length) {
      const items = box.items.map((each) => this.item(each));
      item.append(element("ol", ROWS.has(box.kind) ? "items row" : "items", ...items));
    }
    return item;
  }

  /** @param {PictureBox} box */
  face(box) {
    const face = element(box.link ? "a" : "div", "face");
    if (box.link && face instanceof HTMLAnchorElement) face.href = this.complete(box.link).slice(1);
    if (box.current) face.setAttribute("aria-current", "true");
    face.append(...box.cells.slice(0, 1).map((cells) => this.canvas(cells, box.kind)));
    face.append(element("span", "name", box.name));
    for (const [label, value] of box.values ?? []) {
      const words = [element("span", "label", `${label} `), element("span", "value", value)];
      face.append(element("span", "pair", ...words));
    }
    face.append(...box.cells.slice(1).map((cells) => this.canvas(cells, box.kind)));
    if (box.note) {
      face.append(element("span", "note", box.note));
      face.title = box.note;
    }
    return face;
  }

  /** @param {ShadedCells} cells @param {string} kind of the box around them */
  canvas({ columns, shades }, kind) {
    const bytes = Int8Array.from(atob(shades), (character) => character.charCodeAt(0));
    const canvas = document.createElement("canvas");
    canvas.width = columns;
    canvas.height = bytes.length / columns;
    canvas.setAttribute("aria-hidden", "true");
    const context = context2d(canvas);
    const image = context.createImageData(canvas.width, canvas.height);
    bytes.forEach((shade, i) => {
      const positive = kind === "head" ? this.data.hue : this.data.high;
      const [red, green, blue] = shade < 0 ? this.data.low : positive;
      image.data.set([red, green, blue, (Math.abs(shade) / FULL) * 255], 4 * i);
    });
    context.putImageData(image, 0, 0);
    return canvas;
  }

  /** @param {MouseEvent} event */
  follow(event) {
    if (event.metaKey || event.ctrlKey || event.shiftKey) return; // opens a new tab or window
    const link = event.target instanceof Element ? event.target.closest("a") : null;
    if (!link) return;
    event.preventDefault();
    this.clicked = (link.parentElement ?? link).getBoundingClientRect();
    goTo(`/${link.getAttribute("href")}`);
  }

  /** @param {string} link with placeholders */
  complete(link) {
    for (const [placeholder, quoted] of Object.entries(this.data.texts))
      link = link.replace(placeholder, () => quoted);
    return link;
  }

  /** @param {DOMRect} from */
  grow(from) {
    if (window.matchMedia("(prefers-reduced-motion: reduce)").matches) return;
    const to = this.boxes.getBoundingClientRect();
    const x = from.x + from.width / 2 - to.x;
    const y = from.y + from.height / 2 - to.y;
    this.boxes.style.transformOrigin = `${x}px ${y}px`;
    this.boxes.animate([{ transform: "scale(0.6)", opacity: 0.2 }, { transform: "none" }], GROWING);
  }
}

/** Kinds of boxes whose items are one tab stop; arrow keys move between them. */
const ROWS = new Set(["tokens", "attention", "keys", "neighbours"]);

export default mount(".picture", Picture);
