// Present: a figure of the page fills the screen, everything else waits out of sight.
//
// What is on the stage is laid out as on a small page and magnified, so that each view is drawn by
// the same script as ever. The mode is the browser's: the address names it (`present=2` is the
// page's second figure), and the server passes it on in the links that it writes.

import { mount } from "../common/mount.js";
import { headName } from "../common/selection.js";
import { Controls } from "./controls.js";
import { laidOver, moveOf, typing } from "./keys.js";
import { Lamp } from "./lamp.js";
import { fit, stagesOf, take } from "./stages.js";

/** @typedef {Record<"reset" | "present" | "leave" | "whole" | "close" | "title", string>} Words */
/** @typedef {Words & { keys: [string, string][] }} PresentData */

const STATE = "data-test-script-state"; // Streamlit's own, on the element around the app
const DRAWN = 200; // milliseconds in which views have drawn what the server sent
const EACH = 1500; // milliseconds that a head stays while heads are played

/** @implements {Drawing<PresentData>} */
class Present {
  /**
   * @param {HTMLElement} root
   * @param {AbortSignal} signal
   */
  constructor(root, signal) {
    this.html = document.documentElement;
    this.line = /** @type {HTMLElement} */ (root.querySelector(".caption"));
    this.blank = /** @type {HTMLElement} */ (root.querySelector(".blank"));
    this.keys = /** @type {HTMLDialogElement} */ (root.querySelector(".keys"));
    this.switch = /** @type {HTMLButtonElement} */ (root.querySelector(".switch"));
    this.reset = /** @type {HTMLButtonElement} */ (root.querySelector(".reset"));
    this.switch.onclick = () => this.toggle();
    this.reset.onclick = () => startOver();
    this.sheet = new CSSStyleSheet();
    document.adoptedStyleSheets.push(this.sheet);
    this.lamp = new Lamp();
    this.controls = new Controls(this.html);
    const listening = { signal };
    // Looked at before anybody closes anything: one Escape closes one thing.
    const before = ({ key }) => (this.covered = key === "Escape" && this.number > 0 && laidOver());
    window.addEventListener("keydown", before, { ...listening, capture: true });
    window.addEventListener("keydown", (event) => this.key(event), listening);
    window.addEventListener(
      "pointermove",
      (event) => this.number && this.controls.pointed(event),
      listening,
    );
    window.addEventListener("resize", () => this.draw(), listening);
    window.addEventListener("headlight-stage", () => this.draw(), listening);
    window.addEventListener("headlight-caption", () => this.say(), listening);
    window.addEventListener("headlight-view", () => this.later(), listening);
    window.addEventListener("headlight-point", ({ detail }) => this.lamp.over(detail), listening);
    const written = ({ navigationType }) => navigationType !== "traverse" && this.write();
    window.navigation?.addEventListener("currententrychange", written, listening);
    this.sized = new ResizeObserver(() => this.later());
    const observer = new MutationObserver(() => this.later());
    observer.observe(document.body, { attributeFilter: [STATE], subtree: true });
    signal.addEventListener("abort", () => this.end(observer));
  }

  /** @param {Component<PresentData>} component */
  receive({ data }) {
    const first = !this.data;
    this.data = data;
    this.reset.title = data.reset;
    this.reset.setAttribute("aria-label", data.reset);
    this.list();
    if (!first) return;
    const named = new URL(window.location.href).searchParams.get("present") ?? "";
    if (/^[1-9]\d?$/.test(named)) this.html.dataset.present ??= named;
    this.draw();
  }

  /** @param {MutationObserver} observer */
  end(observer) {
    observer.disconnect();
    this.sized.disconnect();
    this.controls.go();
    clearTimeout(this.redrawn);
    clearInterval(this.playing);
    const sheets = document.adoptedStyleSheets.filter((sheet) => sheet !== this.sheet);
    document.adoptedStyleSheets = sheets;
  }

  // -- the mode --------------------------------------------------------------------------------

  /** @returns {number} which of the page's figures, from 1; 0 while nothing is presented */
  get number() {
    return Number(this.html.dataset.present ?? 0);
  }

  toggle() {
    this.show(this.number ? 0 : 1);
  }

  /** @param {number} number */
  show(number) {
    this.stop();
    if (number) this.html.dataset.present = String(number);
    else delete this.html.dataset.present;
    this.controls.go();
    this.lamp.out();
    /** @type {HTMLElement} */ (document.activeElement)?.blur(); // keys are the presentation's
    this.write();
    this.draw();
  }

  /** The address says it, whatever else is written there. */
  write() {
    const address = new URL(window.location.href);
    const { present } = this.html.dataset;
    if ((address.searchParams.get("present") ?? undefined) === present) return;
    if (present) address.searchParams.set("present", present);
    else address.searchParams.delete("present");
    window.history.replaceState(window.history.state, "", address);
  }

  /** Views draw what was sent when they have it; then it is seen how much room that takes. */
  later() {
    if (!this.number) return;
    clearTimeout(this.redrawn);
    this.redrawn = setTimeout(() => this.draw(), DRAWN);
  }

  draw() {
    const stages = stagesOf();
    const stage = this.number ? stages[Math.min(this.number, stages.length + 1) - 1] : undefined;
    this.sized.disconnect(); // by what is tried
    take(stage);
    fit(this.sheet, stage, this.line);
    for (const part of stage?.children ?? []) this.sized.observe(part);
    this.say();
    const name = this.number ? this.data.leave : this.data.present;
    this.switch.title = name;
    this.switch.setAttribute("aria-label", name);
    this.switch.setAttribute("aria-pressed", String(Boolean(this.number)));
  }

  /** The next figure; behind the last comes the page as a whole. */
  next() {
    const count = stagesOf().length + 1;
    this.show((Math.min(this.number, count) % count) + 1);
  }

  // -- what is said ----------------------------------------------------------------------------

  say() {
    const { said = "", place } = window.headlightCaption ?? {};
    const at = document.createElement("b");
    if (place)
      at.textContent = place.heads > 1 ? headName(place.layer, place.head) : `L${place.layer}`;
    this.line.replaceChildren(at, said || document.title);
  }

  list() {
    const { title, keys, close } = this.data;
    this.keys.querySelector("h2").textContent = title;
    const words = keys.flatMap(([key, does]) => [element("dt", key), element("dd", does)]);
    this.keys.querySelector("dl").replaceChildren(...words);
    this.keys.querySelector("button").textContent = close;
  }

  // -- what is done ----------------------------------------------------------------------------

  /** @param {KeyboardEvent} event that no component took for itself */
  key(event) {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    if (this.keys.open || !this.data) return;
    if (this.blank.matches(":popover-open")) {
      this.blank.hidePopover();
      event.preventDefault();
      return;
    }
    if (this.covered || typing(event) || !this.act(event)) return;
    event.preventDefault();
  }

  /**
   * @param {KeyboardEvent} event
   * @returns {boolean} whether the key means something here
   */
  act({ key }) {
    if (key === "p") this.toggle();
    else if (!this.number) return false;
    else if (key === "Escape") this.show(0);
    else if (key === "b") this.blank.showPopover();
    else if (key === "?") this.keys.showModal();
    else if (key === "s") this.lamp.toggle();
    else if (key === "f") fullScreen();
    else if (key === "Enter") this.next();
    else if (key === " ") this.play();
    else if (moveOf(key)) this.move(moveOf(key));
    else return false;
    return true;
  }

  /** @param {Move} move */
  move(move) {
    this.stop();
    if (this.lamp.on && move.down) this.lamp.move(move.down);
    else walk(move);
  }

  play() {
    if (this.playing) {
      this.stop();
      return;
    }
    if (!window.dispatchEvent(new Event("headlight-play", { cancelable: true }))) return;
    this.playing = setInterval(() => walk({ down: 0, across: 1 }), EACH);
  }

  stop() {
    clearInterval(this.playing);
    this.playing = undefined;
  }
}

/** @param {Move} move taken by a view that is drawn already, or else asked of the server */
function walk(move) {
  const event = new CustomEvent("headlight-walk", { detail: move, cancelable: true });
  if (window.dispatchEvent(event)) window.headlightCaption?.walk(move);
}

/**
 * The page as it is at first: a new visit, which knows nothing of what was typed in this one. Answers
 * to exercises, which a student may have worked on for an hour, have a button of their own.
 */
function startOver() {
  const { pathname, search } = window.location;
  const visit = new URLSearchParams(search);
  for (const name of [...visit.keys()]) if (!["lang", "present"].includes(name)) visit.delete(name);
  window.location.replace(pathname + (visit.size ? `?${visit}` : ""));
}

function fullScreen() {
  if (document.fullscreenElement) document.exitFullscreen();
  else document.documentElement.requestFullscreen();
}

/**
 * @param {string} name
 * @param {string} text
 */
function element(name, text) {
  const made = document.createElement(name);
  made.textContent = text;
  return made;
}

/**
 * @param {Component<PresentData>} component
 * @returns {() => void}
 */
export default function (component) {
  return mount(component, ".headlight-present", Present);
}
