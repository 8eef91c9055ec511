// Presentation mode: one figure of the page fills the screen, and the rest of the page is hidden.
//
// The stage has the layout of a small page and is magnified. Therefore the scripts that draw the
// views need no changes. Only the browser sets the mode, as a query parameter: `present=2` is the
// page's second figure. The server copies the parameter to the links that it writes.

import { SCRIPT } from "../../streamlit_patches/app_state.js";
import { STREAMLIT } from "../../streamlit_patches/elements.js";
import { copyLink, linkForOthers } from "../common/copying.js";
import { find, unset } from "../common/find.js";
import { mount } from "../common/mount.js";
import { headName } from "../common/selection.js";
import { sentences } from "../common/sentences.js";
import { MOVES, laidOver, release, typing } from "./keys.js";
import { drawLanguages } from "./languages.js";
import { fit, stagesOf, take } from "./stages.js";

/** @typedef {Record<"reset" | "present" | "leave" | "copy" | "copied" | "origin" | "alone", string> & import("./languages.js").Languages} PresentData */

const MORE = ".st-key-lesson_strip";
const DRAWN = 200; // milliseconds until the views have drawn new data from the server
const READ = [2_000, 6_000]; // milliseconds for which a short and a long sentence are shown
const POINTED = 2500; // milliseconds that the controls stay after the pointer's last movement
const USED = `${STREAMLIT.header}:hover, .headlight-present .tools:hover, .st-key-sentence_form:is(:hover, :focus-within), ${STREAMLIT.popover}, [role="listbox"]`;

class Present {
  /** @param {HTMLElement} root @param {AbortSignal} signal */
  constructor(root, signal) {
    this.html = document.documentElement;
    this.line = find(root, ".caption");
    this.switch = find(root, ".switch");
    this.reset = find(root, ".reset");
    this.copy = find(root, ".copy");
    this.copied = find(root, ".copied");
    this.languages = /** @type {HTMLSelectElement} */ (find(root, "select"));
    this.data = /** @type {PresentData} */ (unset());
    this.switch.onclick = () => this.toggle();
    this.reset.onclick = () => startOver();
    this.copy.onclick = () => this.copyView();
    this.sheet = new CSSStyleSheet();
    document.adoptedStyleSheets.push(this.sheet);
    // In the capture phase, before Escape closes a dialog: one Escape closes one thing.
    const before = (/** @type {KeyboardEvent} */ { key }) =>
      (this.covered = key === "Escape" && this.number > 0 && laidOver());
    window.addEventListener("keydown", before, { signal, capture: true });
    /** @type {Record<string, (event: any) => unknown>} */
    const on = {
      keydown: (event) => this.key(event),
      click: (event) => this.number && release(event),
      pointermove: (event) => this.number && this.point(event),
      resize: () => this.draw(),
      "headlight-stage": () => this.draw(),
      "headlight-caption": () => this.say(),
    };
    for (const [name, act] of Object.entries(on)) window.addEventListener(name, act, { signal });
    this.reset.hidden = Boolean(window.navigation); // until the view has changed
    const written = (/** @type {NavigationCurrentEntryChangeEvent} */ { navigationType }) => {
      if (navigationType !== "replace") this.reset.hidden = false;
      if (navigationType !== "traverse") this.write();
    };
    window.navigation?.addEventListener("currententrychange", written, { signal });
    this.sized = new ResizeObserver(() => this.later());
    this.ran = new MutationObserver(() => this.later());
    this.ran.observe(document.body, { attributeFilter: [SCRIPT], subtree: true });
    signal.addEventListener("abort", () => this.end());
  }

  /** @param {Component<PresentData>} component */
  receive({ data }) {
    const first = !this.data;
    this.data = data;
    drawLanguages(this.languages, data);
    Object.assign(this.reset, { title: data.reset, ariaLabel: data.reset });
    Object.assign(this.copy, { title: data.copy, ariaLabel: data.copy });
    if (!first) return;
    const named = new URL(window.location.href).searchParams.get("present") ?? "";
    if (/^[1-9]\d?$/.test(named)) this.html.dataset.present ??= named;
    this.draw();
  }

  async copyView() {
    const { origin, alone, copied } = this.data;
    await copyLink(linkForOthers(origin), this.copy);
    this.copied.textContent = sentences([copied, alone]);
    this.copied.hidden = false;
    clearTimeout(this.told);
    this.told = setTimeout(() => (this.copied.hidden = true), READ[alone ? 1 : 0]);
  }

  end() {
    this.ran.disconnect();
    this.sized.disconnect();
    this.rest();
    clearTimeout(this.redrawn);
    document.adoptedStyleSheets = document.adoptedStyleSheets.filter((each) => each !== this.sheet);
  }

  /** @returns {number} number of the presented figure, from 1; 0 if nothing is presented */
  get number() {
    return Number(this.html.dataset.present ?? 0);
  }

  /** @returns {number} of figures, and of the whole page in a lesson */
  get count() {
    return stagesOf().length + (document.querySelector(MORE) ? 1 : 0) || 1;
  }

  toggle() {
    this.show(this.number ? 0 : 1);
  }

  /** @param {number} number */
  show(number) {
    // The presentation handles the keys. A view draws when it loses the focus: before the change.
    /** @type {HTMLElement} */ (document.activeElement)?.blur();
    if (!number) take(undefined); // no view draws for a stage without a presentation
    if (number) this.html.dataset.present = String(number);
    else delete this.html.dataset.present;
    this.rest();
    this.write();
    this.draw();
  }

  /** Show the controls. @param {PointerEvent} event */
  point({ movementX, movementY }) {
    if (!(movementX || movementY)) return;
    this.html.dataset.pointing = ""; // for the style sheet
    this.wait();
  }

  /** Hide the controls later, unless they are in use then. */
  wait() {
    clearTimeout(this.resting);
    const rested = () => (document.querySelector(USED) ? this.wait() : this.rest());
    this.resting = setTimeout(rested, POINTED);
  }

  rest() {
    clearTimeout(this.resting);
    delete this.html.dataset.pointing;
  }

  /** Write the mode to the URL, and leave the other parameters. */
  write() {
    const address = new URL(window.location.href);
    const { present } = this.html.dataset;
    if ((address.searchParams.get("present") ?? undefined) === present) return;
    if (present) address.searchParams.set("present", present);
    else address.searchParams.delete("present");
    window.history.replaceState(window.history.state, "", address);
  }

  /** Fit the stage after the views have drawn: their size may have changed. */
  later() {
    if (!this.number) return;
    clearTimeout(this.redrawn);
    this.redrawn = setTimeout(() => this.draw(), DRAWN);
  }

  draw() {
    const stages = stagesOf();
    const stage = this.number ? stages[this.number - 1] : undefined;
    const { number, count } = this;
    const walks = window.headlightCaption?.place || stage?.querySelector(".headlight-view .heads");
    const place = count > 1 && number <= count ? `⏎ ${number}/${count} · ` : "";
    this.line.dataset.count = `${walks ? "← → · " : ""}${place}${this.data.leave}`;
    this.sized.disconnect(); // `fit` changes sizes
    take(stage, stage !== undefined && stage === stages[this.number - 2]);
    fit(this.sheet, stage, this.line);
    // On a page that is still being drawn, a figure may follow.
    const parts = stage?.children ?? document.querySelectorAll(STREAMLIT.block);
    if (this.number) for (const part of parts) this.sized.observe(part);
    this.say();
    const name = this.number ? this.data.leave : this.data.present;
    find(this.switch, "span").textContent = this.number ? name : "";
    const ariaPressed = String(Boolean(this.number));
    Object.assign(this.switch, { title: name, ariaLabel: name, ariaPressed });
  }

  /** Show the next figure; after the last one, the first. */
  next() {
    this.show((Math.min(this.number, this.count) % this.count) + 1);
  }

  say() {
    const { text = "", place } = window.headlightCaption ?? {};
    const said = document.querySelectorAll('[class*="st-key-headline"] strong');
    const at = document.createElement("b");
    if (place && !said.length)
      at.textContent = place.heads > 1 ? headName(place.layer, place.head) : `L${place.layer}`;
    const headline = said[Math.min(this.number, said.length) - 1];
    this.line.replaceChildren(at, headline?.textContent || text || document.title);
    for (const more of headline ? sentencesAfter(headline) : []) {
      this.line.append(more);
      if (this.line.scrollHeight <= this.line.clientHeight) continue;
      this.line.lastChild?.remove();
      return;
    }
  }

  /** @param {KeyboardEvent} event ignored if a component has handled it */
  key(event) {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    if (!this.data || this.covered || typing(event) || !this.act(event)) return;
    event.preventDefault();
  }

  /**
   * @param {KeyboardEvent} event
   * @returns {boolean} whether the key has a meaning in the presentation
   */
  act({ key }) {
    const move = MOVES[key];
    if (key === "p") this.toggle();
    else if (!this.number) return false;
    else if (key === "Escape") this.show(0);
    else if (key === "Enter") this.next();
    else if (key === " ") window.dispatchEvent(new Event("headlight-play", { cancelable: true }));
    else if (move) walk(move);
    else return false;
    return true;
  }
}

/** @param {Move} move handled by a view in the browser if possible, otherwise by the server */
function walk(move) {
  const event = new CustomEvent("headlight-walk", { detail: move, cancelable: true });
  if (window.dispatchEvent(event)) window.headlightCaption?.walk(move);
}

/** @param {Element} bold @returns {string[]} the sentences up to the next bold one */
function sentencesAfter(bold) {
  const texts = [];
  for (let node = bold.nextSibling; node && node.nodeName !== "STRONG"; node = node.nextSibling)
    texts.push(node.textContent ?? "");
  const language = document.documentElement.lang || undefined;
  const split = new Intl.Segmenter(language, { granularity: "sentence" });
  return Array.from(split.segment(texts.join("")), ({ segment }) => segment);
}

/**
 * Load the page in its initial state, in a new session. Back brings the view back. Answers to
 * exercises stay.
 */
function startOver() {
  const kept = [...new URLSearchParams(window.location.search)];
  const visit = new URLSearchParams(kept.filter(([name]) => ["lang", "present"].includes(name)));
  window.location.assign(`${window.location.pathname}${visit.size ? "?" : ""}${visit}`);
}

export default mount(".headlight-present", Present);
