// A capture: its tokens, all its heads, and the selected head of one or two subjects.
//
// Two components of Streamlit share one script and one store: `capture_view` receives the weights, once
// for each sentence; `capture_state` receives the selection and reports what the user selects, so that a
// click does not send the weights again.

import { element } from "../common/element.js";
import { find, unset } from "../common/find.js";
import { mount } from "../common/mount.js";
import { Part } from "../common/part.js";
import { two } from "../common/scale.js";
import { presenting } from "../common/stage.js";
import { unpack } from "../common/unpack.js";
import { emphasised, explained, filled } from "../common/words.js";
import { Heads } from "./heads.js";
import { Panel, strongest, told } from "./panel.js";
import { nameOf, storeOf } from "./store.js";
import { distanceFrom } from "./similar.js";
import { Tokens } from "./tokens.js";

/** @import { Store } from "./store.js" */

/** @extends {Part<unknown>} */
class CaptureView extends Part {
  said = find(this.root, ".said");
  columns = find(this.root, ".columns");
  store = /** @type {Store} */ (unset());
  tokens = /** @type {Tokens} */ (unset());
  show = /** @type {Set<string>} */ (unset()); // what is drawn: see CaptureViewData
  head = ""; // the drawn head of the first subject
  parts = /** @type {(Heads | Panel)[]} */ ([]);

  /** @param {Made} made */
  constructor(...made) {
    super(...made);
    const options = { signal: this.signal };
    window.addEventListener("keydown", (event) => this.key(event), options);
    window.addEventListener("dragover", (event) => this.upload && event.preventDefault(), options);
    window.addEventListener("drop", (event) => this.drop(event), options);
    window.addEventListener("headlight-walk", (event) => this.walk(event), options);
  }

  /** @param {Component<Uint8Array>} component */
  receive({ data }) {
    const message = /** @type {CaptureViewData} */ (unpack(data));
    this.upload = message.upload;
    this.show = new Set(message.show);
    if (!this.store) {
      this.store = storeOf(this.root.dataset.key ?? message.key);
      this.tokens = new Tokens(find(this.root, ".chips"), this.store);
      this.store.addEventListener("changed", () => this.draw(), { signal: this.signal });
    }
    this.tokens.box.hidden = !this.show.has("tokens");
    this.said.hidden = !this.show.has("said");
    this.store.receive(message);
  }

  /** @param {DragEvent} event a file of weights, which becomes the right side */
  async drop(event) {
    const file = event.dataTransfer?.files[0];
    if (!file || !this.upload) return;
    event.preventDefault();
    const url = `${this.upload}?name=${encodeURIComponent(file.name)}`;
    try {
      const { model, error } = await (await fetch(url, { method: "POST", body: file })).json();
      if (model) this.store.report({ file: model });
      else this.said.textContent = error;
    } catch {
      this.said.textContent = this.store.strings.unsent;
    }
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    const { picked, overlaid } = this.store.selection;
    const [at] = event.composedPath();
    const typed = at instanceof Element && at.closest("input, textarea, [role=dialog]");
    if (event.key !== "Escape" || event.defaultPrevented || typed) return;
    if (!picked.length && !overlaid.length) return;
    this.store.select({ picked: [], overlaid: [] });
  }

  /** @param {CustomEvent<Move>} event an arrow key in present mode */
  walk(event) {
    if (event.defaultPrevented || !this.root.clientWidth) return;
    event.preventDefault();
    this.store.walk(event.detail);
  }

  draw() {
    const { subjects } = this.store;
    // The columns of a view that left the page, and came back with the same root, draw nothing more.
    const built = this.parts.length && subjects.length === this.columns.childElementCount;
    if (!built) this.build(subjects);
    this.tokens.draw();
    this.say();
    for (const part of this.parts) part.draw();
    // Without all heads, a head is selected elsewhere: on a phone in a table below.
    const head = String(this.store.headOf(subjects[0]));
    const moved = this.head && this.head !== head && !this.show.has("heads");
    this.head = head;
    if (!moved || !window.matchMedia("(max-width: 640px)").matches) return; // as in page.css
    const calm = window.matchMedia("(prefers-reduced-motion: reduce)").matches;
    const behavior = calm ? "instant" : "smooth";
    this.root.querySelector(".map")?.scrollIntoView({ block: "nearest", behavior });
  }

  /** @param {Subject[]} subjects */
  build(subjects) {
    this.columns.replaceChildren();
    this.columns.classList.toggle("one", subjects.length === 1 && this.show.has("heads"));
    this.parts = subjects.flatMap(({ side }) => {
      const column = this.columns.appendChild(element("div", "column"));
      column.dataset.side = side;
      column.append(element("p", "about"));
      const parts = [];
      if (this.show.has("heads")) {
        const heads = column.appendChild(element("div", "heads"));
        parts.push(new Heads(heads, this.store, side, this.signal));
        heads.append(element("p", "introduction", this.store.strings.introduction ?? ""));
      }
      if (this.show.has("head")) {
        const panel = column.appendChild(element("div", `panel st-key-heatmap_${side}`));
        parts.push(new Panel(panel, this.store, side, this.signal));
      }
      return parts;
    });
  }

  /** Say what the selected head does with the selected word, and what to try next. */
  say() {
    const { store } = this;
    const { strings } = store;
    store.subjects.forEach((each, at) => {
      const column = /** @type {HTMLElement} */ (this.columns.children[at]);
      column.style.setProperty("--hue", `rgb(${each.rgb})`);
      column.classList.toggle("first", each.side === store.first);
      const about = find(column, ".about");
      about.hidden = !this.show.has("about");
      const place = element("b", "place", nameOf(each, store.shownHead(each)));
      const more = element("span", each.names ? "pictures" : "more", each.about);
      const name = element(
        "b",
        "",
        each.meaning ? explained(each.model, each.meaning) : each.model,
      );
      about.replaceChildren(name, " ", more, place);
    });
    const subject = store.subject(store.side);
    const head = store.headOf(subject);
    store.told = undefined;
    const cells = subject.exact.of(head);
    if (!cells) return; // the panel requests them
    this.said.style.setProperty("--hue", `rgb(${subject.rgb})`);
    const { labels, keys, special, tokens } = subject;
    const picked = store.picked(subject);
    const [link, tied] = told(subject, cells, picked);
    const framed = this.show.has("said") || (picked.length && store.subjects.length === 1);
    if (link && framed && two(link[0]) !== two(0))
      store.told = { side: store.side, cell: link.slice(1) };
    else if (store.framed) store.told = { side: store.side, cell: store.framed };
    if (!this.show.has("said")) return;
    /** @type {Record<string, string>} */
    const names = { model: subject.model, head: nameOf(subject, head), layer: `L${head[0]}` };
    if (link) {
      const [value, query, key] = link;
      names.query = labels[query];
      names.key = (keys?.labels ?? labels)[key];
      names.weight = two(value);
      if (tied) names.other = (keys?.labels ?? labels)[tied[2]];
      const specials = keys ? [] : [...special.keys()].filter((unit) => special[unit]);
      const [rest] = strongest(subject, cells, { queries: [query], keys: specials }, 1);
      if (rest?.[0] > value) {
        const [weight, , at] = rest;
        names.rest = two(weight);
        // A special token, or a decoder's first word.
        const isMark = tokens.chips[at].kind.startsWith("special");
        names.special = isMark ? labels[at] : filled(strings.first, { token: labels[at] });
      }
    }
    const missing = subject.without.includes(head[0]);
    const nothingElse = names.rest && names.weight === two(0);
    const said = nothingElse
      ? strings.said_special
      : strings[`said${names.other ? "_tie" : ""}${names.rest ? "_after" : ""}`];
    const text = missing ? strings.without : link ? said : strings.nothing;
    const idle = !store.selection.picked.length && !presenting() && !store.paired;
    const hint = idle && strings.hint ? [" ", element("span", "next", strings.hint)] : [];
    const other = store.subjects.find(({ side }) => store.paired && side !== store.paired);
    const distanceTo = other && distanceFrom(subject, head, other, store.compared ?? []);
    const pair = other && {
      model: other.model,
      head: nameOf(other, store.headOf(other)),
      distance: (distanceTo?.(store.headOf(other)) ?? 0).toFixed(2),
    };
    const similar = pair ? [" ", element("span", "similar", filled(strings.similar, pair))] : [];
    this.said.replaceChildren(...emphasised(text, names), ...similar, ...hint);
    if (names.special === "[CLS]" || names.special === "[SEP]")
      this.said.querySelector(".special")?.replaceChildren(explained(names.special, strings.mark));
    if (!strings.a_head || subject.names) return;
    const [layer, number] = head.map(String);
    const meaning = filled(strings.a_head, { name: names.head, layer, head: number });
    this.said.querySelector(".head")?.replaceChildren(explained(names.head, meaning));
  }
}

/** @extends {Part<{ key: string, selection: object, acknowledged: number }>} */
class CaptureState extends Part {
  store = /** @type {Store} */ (unset());
  /** @type {Record<string, unknown>} */
  waiting = {};

  /** @param {Component<CaptureState["data"]>} component */
  receive({ data }) {
    if (!this.store) {
      this.store = storeOf(data.key);
      this.store.report = (changes, wait) => this.report(changes, wait);
    }
    this.data = data;
    this.outbox.acknowledge(data.acknowledged);
    // The answer to an earlier click must not undo a later one.
    if (!this.outbox.stale && this.timer === undefined) this.store.adopt(data.selection);
  }

  /** @param {object} changes @param {number} [wait] milliseconds; changes within it are sent together */
  report(changes, wait = 0) {
    const known = [...Object.keys(this.data.selection), "side", "paired", "file"]; // to the server
    const kept = Object.entries(changes).filter(([name]) => known.includes(name));
    if (!kept.length) return;
    this.waiting = { ...this.waiting, ...Object.fromEntries(kept) };
    clearTimeout(this.timer);
    if (wait) this.timer = setTimeout(() => this.commit(), wait);
    else this.commit();
  }

  commit() {
    this.timer = undefined;
    this.outbox.edit(this.waiting);
    this.waiting = {};
  }
}

const drawCapture = mount(".headlight-view", CaptureView);
const drawState = mount(".state", CaptureState);

/** @param {Component<any>} component either one; they are told apart by their HTML */
export function drawView(component) {
  const parts = component.parentElement;
  return parts.querySelector(".state") ? drawState(component) : drawCapture(component);
}
