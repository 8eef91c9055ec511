// The selected head of a subject: a heatmap or lines, and its strongest links in words.

import { onResize } from "../common/canvas.js";
import { element } from "../common/element.js";
import { unset } from "../common/find.js";
import { FAINTEST, MASKED, WHOLE, four, two } from "../common/scale.js";
import { onClicked } from "../chart/clicks.js";
import { withAllNames } from "../chart/names.js";
import { plotly } from "../chart/plotly.js";
import { coloured, paletteOf, templateOf } from "../chart/theme.js";
import { magnified, presenting, roomBelow } from "../common/stage.js";
import { emphasised, explained, filled } from "../common/words.js";
import { configured, oneStop } from "../chart/toolbar.js";
import { Lines } from "./lines.js";
import { figureOf } from "./map.js";
import { drawNumbers } from "./numbers.js";
import { distanceFrom, mostSimilar } from "./similar.js";
import { nameOf } from "./store.js";

/** @import { Store } from "./store.js" */

const LINKS = 9; // strongest links beside the map
const RANKED = { page: 5, stage: 3 }; // of selected units
const LINKS_WIDTH = 164; // pixels, with the gap
const LARGEST = 28; // pixels of a cell, except on a projector
// Pixels on the screen of a cell below which its number is not readable.
const PRINTED = { page: 17, stage: 24 };
const BESIDE = 520; // pixels: in a narrower column, the links are below the map

export class Panel {
  area = /** @type {PlotlyChart} */ (element("div", "map"));
  numbers = element("canvas", "numbers");
  links = element("div", "links");
  drawn = ""; // how the map is drawn, as JSON
  /** @type {Subject | null} whose map is drawn */
  shown = null;
  /** @type {object | undefined} Plotly's configuration; undefined until the first drawing */
  config = undefined;
  header = /** @type {ChartHeader} */ (unset());
  /** @type {{ other: Subject, head: Head, similar: Head } | undefined} of the last sentence on it */
  likest = undefined;
  write = () => {}; // writes the numbers of the drawn map

  /** @param {HTMLElement} box @param {Store} store @param {Side} side @param {AbortSignal} signal */
  constructor(box, store, side, signal) {
    this.box = box;
    this.store = store;
    this.side = side;
    this.signal = signal;
    this.lines = new Lines(store, side);
    box.setAttribute("role", "figure");
    box.append(this.area, this.lines.canvas, this.links);
    onResize(box, () => this.draw(), signal);
    signal.addEventListener("abort", () => this.config && window.Plotly?.purge(this.area));
  }

  get subject() {
    return this.store.subject(this.side);
  }

  /** Whether the pointer is on a head of this side, which the panel shows. */
  get previews() {
    return this.store.hovered?.side === this.side;
  }

  draw() {
    const { subject, store } = this;
    const width = this.box.clientWidth;
    if (!width) return;
    const head = store.shownHead(subject);
    const cells = subject.exact.of(head);
    if (!cells) {
      subject.exact.request(head);
      return;
    }
    const isMap = store.selection.view === "heatmap";
    this.box.setAttribute("aria-label", this.alt(subject, head, cells));
    this.area.hidden = !isMap;
    this.lines.canvas.hidden = isMap;
    this.drawLinks(subject, cells);
    if (!isMap) this.lines.draw(width < BESIDE ? width : width * 0.62);
    else this.drawMap(subject, head, cells, width);
  }

  /** @type {(subject: Subject, head: Head, cells: Uint16Array, width: number) => void} */
  drawMap(subject, head, cells, width) {
    const palette = paletteOf(this.box);
    const stage = roomBelow(this.box);
    const height = Math.max(stage ?? 0.44 * (window.innerHeight / magnified()), stage ? 200 : 320);
    const picked = this.store.picked(subject);
    const how = {
      picked,
      told: this.store.told?.side === this.side && !this.previews ? this.store.told.cell : [],
      // On a projector a map is not zoomed, and the line above may name its head.
      titled: !stage || this.box.parentElement?.querySelector(".about[hidden]") !== null,
      named: stage && namedIn(subject, cells, picked),
      scale: this.store.scale(),
      width: width < BESIDE ? width : width * 0.7,
      height,
      largest: stage ? Infinity : LARGEST,
      printed: PRINTED[stage ? "stage" : "page"] / magnified(),
      ink: palette.text,
      paper: palette.paper,
    };
    const drawn = JSON.stringify([head, how]);
    if (drawn === this.drawn && subject === this.shown) return;
    const made = figureOf(subject, head, cells, how);
    const figure = coloured(
      stage ? made : withAllNames(made, made.layout.width, made.layout.height),
      palette,
    );
    const left = width - figure.layout.width;
    this.links.hidden = stage !== undefined && width < BESIDE && left < LINKS_WIDTH;
    // Nothing beside or below it moves when Plotly arrives.
    this.area.style.width = `${figure.layout.width}px`;
    this.area.style.height = `${figure.layout.height}px`;
    const library = window.Plotly;
    if (!library) {
      plotly(subject.plotly).then(() => this.signal.aborted || this.draw());
      return;
    }
    this.drawn = drawn;
    this.shown = subject;
    const name = nameOf(subject, head);
    this.header = {
      figure,
      key: `heatmap_${this.side}`,
      alt: "",
      clicks: false,
      plotly: subject.plotly,
      about: { ...subject.origin, model: subject.model, text: subject.sentence, head: name },
      strings: subject.strings,
      file: subject.file.replace("L0-H0", name.replaceAll(/[^\w.-]+/g, "-")),
    };
    const first = !this.config;
    this.config ??= configured(library, this.header, () => this.header);
    const layout = { ...figure.layout, template: templateOf(palette) };
    const [{ text = [], texttemplate, textfont, ...map }, ...others] = figure.data;
    // A saved picture has the numbers as Plotly writes them.
    const traces = [{ ...map, meta: { text, texttemplate, textfont } }, ...others];
    const plain = (/** @type {number} */ row, /** @type {number} */ column) =>
      !picked.length || picked.includes(row) || (!subject.keys && picked.includes(column));
    const font = { ...textfont, family: palette.font };
    this.write = () => drawNumbers(this.area, this.numbers, texttemplate ? text : [], font, plain);
    library.react(this.area, traces, layout, this.config).then(() => {
      if (this.signal.aborted) return; // the view has left the page
      this.write();
      Object.assign(this.area.dataset, { sentence: subject.sentence, head: name });
    });
    oneStop(this.box);
    if (!first) return;
    for (const moved of ["plotly_relayout", "plotly_relayouting"])
      this.area.on(moved, () => this.write());
    onClicked(this.area, library, (point) => {
      const [row] = point.pointIndex ?? point.pointNumber;
      // A second cell of a row is no wish to see all rows again: its token's button is.
      if (String(this.store.picked(this.subject)) !== String([row]))
        this.store.pick(this.side, row, false);
    });
  }

  /** @param {Subject} subject @param {Head} head @param {Uint16Array} cells */
  alt(subject, head, cells) {
    const { model, labels, keys, size } = subject;
    const weights = cells.map((cell) => cell % MASKED); // 0 if masked
    const at = weights.indexOf(weights.reduce((most, weight) => Math.max(most, weight)));
    const columns = keys ? keys.size : size;
    return filled(this.store.strings.alt, {
      model,
      head: nameOf(subject, head),
      query: labels[Math.floor(at / columns)],
      key: (keys?.labels ?? labels)[at % columns],
      weight: four(weights[at]),
    });
  }

  /** @param {Subject} subject @returns {Node[]} that its head of the same number is not alike */
  unlike(subject) {
    const { selection, side, strings, compared } = this.store;
    if (this.side === side || !selection.linked || !compared?.length || presenting()) return [];
    const other = this.store.subject(side);
    const [head, shown] = [other, subject].map((one) => this.store.headOf(one));
    if (this.likest?.other !== other || String(this.likest.head) !== String(head))
      this.likest = { other, head, similar: mostSimilar(other, head, subject, compared) };
    const { similar } = this.likest;
    if (String(similar) === String(shown)) return [];
    const names = { of: nameOf(other, head), head: nameOf(subject, similar) };
    const models = { model: other.model, here: subject.model };
    const distance = distanceFrom(other, head, subject, compared)(similar).toFixed(2);
    const note = element("p", "note");
    note.append(...emphasised(strings.unlike, { ...names, ...models, distance }));
    note.querySelector(".distance")?.replaceChildren(explained(distance, strings.distance));
    return [note];
  }

  /**
   * Write the strongest links; for selected units, what they attend to and what attends to them.
   *
   * @param {Subject} subject
   * @param {Uint16Array} cells of the head
   */
  drawLinks(subject, cells) {
    const picked = this.store.picked(subject);
    const { strings } = this.store;
    const { comma } = strings;
    const [largest, gives, gets] = subject.sources
      ? [strings.sources, strings.gets, strings.gives]
      : [strings.largest, strings.gives, strings.gets];
    const { rests: rests_special, rests_first } = strings;
    const words = ofWords(subject);
    const names = picked.map((unit) => subject.labels[unit]).join(comma);
    const keys = subject.keys ?? subject;
    const count = presenting() ? RANKED.stage : RANKED.page;
    /** @type {(only: { queries?: number[], keys?: number[] }, most?: number) => HTMLElement} */
    const listed = (only, most = count) => {
      const found = strongest(words, cells, only, subject.sources ? Infinity : most)
        .filter(([value, query, key]) => value >= FAINTEST && !(subject.sources && query === key))
        .slice(0, most);
      const items = found.map(([value, query, key]) => {
        const ends = [subject.labels[query], keys.labels[key]];
        const tokens = `${ends.join(subject.sources ? " ← " : " → ")} `;
        return element("li", "", tokens, element("b", "", two(value)));
      });
      return element("ol", "", ...items);
    };
    const { told } = this.store;
    // Until a token is selected, the sentence's head has a list, and a translation has its lines.
    const silent =
      !picked.length && !this.previews && (subject.keys || (told && told.side !== this.side));
    /** @type {(title: string, only: { queries?: number[], keys?: number[] }, most?: number) => HTMLElement[]} */
    const titled = (title, only, most) => {
      const list = listed(only, most);
      if (!list.firstChild && !picked.length) return [];
      const shown = list.firstChild ? list : element("p", "note", "–"); // all are below FAINTEST
      return [element("p", "", title.replace("{token}", names)), shown];
    };
    const parts = picked.length
      ? [
          ...titled(gives, { queries: picked }),
          ...(subject.keys ? [] : titled(gets, { keys: picked })),
        ]
      : silent
        ? []
        : titled(largest, {}, presenting() ? RANKED.page : LINKS);
    const hidden = subject.keys ? -1 : [...subject.special].findIndex(Boolean);
    const isMark = subject.tokens.chips[hidden]?.kind.startsWith("special");
    const rests = picked.length || subject.names ? 0 : resting(subject, cells);
    /** @type {Node[]} */
    const notes = [];
    if (rests > 1 / 3 && hidden >= 0 && !silent && !presenting()) {
      const said = isMark ? rests_special : rests_first;
      notes.push(element("p", "note", said.replace("{share}", `${Math.round(100 * rests)}%`)));
    }
    if (!picked.length) notes.push(...this.unlike(subject)); // the lists of a token are longer
    this.links.replaceChildren(...parts, ...notes);
  }
}

/** @param {Subject} subject @param {Uint16Array} cells @returns {number} the share of special keys */
function resting({ size, special }, cells) {
  const ofSpecial = cells.filter((_, at) => special[at % size]);
  return ofSpecial.reduce((sum, weight) => sum + (weight % MASKED), 0) / (size * WHOLE);
}

/**
 * Columns and rows of the selected units, and of the link in the sentence above.
 *
 * @type {(subject: Subject, cells: Uint16Array, picked: number[]) => Record<"xaxis" | "yaxis", number[]>}
 */
function namedIn(subject, cells, picked) {
  const links = told(subject, cells, picked).slice(0, 1);
  return {
    xaxis: [...new Set([...(subject.keys ? [] : picked), ...links.map(([, , key]) => key)])],
    yaxis: [...new Set([...picked, ...links.map(([, query]) => query)])],
  };
}

/**
 * The link of the sentence, of the selected units or of all words without punctuation; then another one
 * of the same row that is printed with the same weight, if there is one.
 *
 * @type {(subject: Pick<Subject, "size" | "keys" | "special" | "labels">, cells: Uint16Array,
 *   picked: number[]) => ReturnType<typeof strongest>}
 */
export function told(subject, cells, picked) {
  const among = picked.length ? [] : strongest(ofWords(subject), cells, {}, 1);
  const only = picked.length ? { queries: picked } : {};
  const [link] = among.length ? among : strongest(subject, cells, only, 1);
  if (!link) return [];
  const [value, query, key] = link;
  const row = strongest(subject, cells, { queries: [query] }, Infinity);
  const equal = row.filter(([other, , at]) => at !== key && two(other) === two(value));
  return [link, ...equal.slice(0, 1)];
}

/** With punctuation among the special tokens. @template {Pick<Subject, "special" | "labels">} T @param {T} subject */
function ofWords(subject) {
  const isWord = (/** @type {string} */ label) => /[\p{L}\p{Nd}]/u.test(label);
  return {
    ...subject,
    special: subject.labels.map((label, at) => subject.special[at] || !isWord(label)),
  };
}

/**
 * @param {Pick<Subject, "size" | "keys" | "special">} subject
 * @param {Uint16Array} cells of one head, by rows
 * @param {{ queries?: number[], keys?: number[] }} only links from these units, or to these
 * @param {number} count
 * @returns the largest first, without masked cells and, unless they are asked for, special tokens
 */
export function strongest({ size, keys: others, special }, cells, { queries, keys }, count) {
  const columns = others ? others.size : size;
  const links = /** @type {[value: number, query: number, key: number][]} */ ([]);
  cells.forEach((value, at) => {
    const [query, key] = [Math.floor(at / columns), at % columns];
    if (value === MASKED || value === 0) return;
    if (queries ? !queries.includes(query) : special[query]) return;
    if (keys ? !keys.includes(key) : !others && special[key]) return;
    links.push([value, query, key]);
  });
  return links.sort((a, b) => b[0] - a[0]).slice(0, count);
}
