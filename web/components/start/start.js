// Start here: three steps on the living page for a first visit. A script in the page's head decides
// whether it is open (see early.js), and page.css shows it, so that nothing moves.
//
// A step is done when the view shows it, by an action of the visitor or by its button.

import { emphasised } from "../common/emphasis.js";
import { find, unset } from "../common/find.js";
import { goTo } from "../common/going.js";
import { mount } from "../common/mount.js";
import { bring } from "../common/narrow.js";
import { closeStart, finishStart, startStep } from "../common/starting.js";

/**
 * @typedef {object} StartData
 * @property {{ say: string, act: string, seen: string }[]} steps
 * @property {string} end text after the last step
 * @property {Record<"name" | "what" | "about" | "next" | "lessons" | "close", string>} strings
 * @property {Record<"about" | "lessons", string>} links
 */

const BUTTON = ".st-key-similar button"; // the last step asks for a click on it

/** Whether the view shows what each step asks for. @type {((view: View) => unknown)[]} */
const SHOWN = [
  ({ picked }) => picked.left.length && JSON.stringify(picked),
  ({ left, right }) => JSON.stringify([left, right]),
  ({ linked, left, right }) => !linked && JSON.stringify([left, right]),
];

/** For each step, where to select. */
const PLACES = [".st-key-chips", ".st-key-overviews", ".st-key-similar"];

class Start {
  /** @param {HTMLElement} root @param {AbortSignal} signal */
  constructor(root, signal) {
    this.root = root;
    this.data = /** @type {StartData} */ (unset());
    this.send = /** @type {Component<StartData>["setTriggerValue"]} */ (unset());
    this.done = false;
    this.text = ""; // of the step
    /** @type {unknown} what the view showed when the step began */
    this.before = undefined;
    /** @type {string | undefined} the head of the left side in the last view */
    this.left = undefined;
    this.part = (/** @type {string} */ name) => find(root, `.${name}`);
    this.part("act").onclick = () => this.act();
    this.part("next").onclick = () => this.next();
    this.part("close").onclick = () => closeStart();
    this.part("about").onclick = (event) => {
      event.preventDefault();
      goTo(this.data.links.about);
    };
    window.addEventListener("headlight-view", () => this.look(), { signal });
    window.addEventListener("headlight-start", () => this.begin(), { signal });
  }

  /** @param {Component<StartData>} component */
  receive({ data, setTriggerValue }) {
    const first = !this.data;
    this.data = data;
    this.send = setTriggerValue;
    if (first) this.begin();
    else this.draw();
  }

  /** @returns {unknown} what the view shows of the step; falsy if it is not what the step asks for */
  get shown() {
    const shown = SHOWN[startStep() - 1];
    return shown && window.headlightView && shown(window.headlightView);
  }

  begin() {
    this.done = false;
    this.before = this.shown;
    this.draw();
  }

  look() {
    if (!this.data || this.done) return;
    if (this.before === undefined) this.before = this.shown; // the first view of the page
    const left = JSON.stringify(window.headlightView?.left);
    const changed = startStep() > 1 && left === this.left ? "right" : "left";
    this.left = left;
    this.done = Boolean(this.shown && this.shown !== this.before);
    if (!this.done) return;
    this.draw();
    // Below this panel, which stays at the top.
    bring(document.querySelector(`.st-key-heatmap_${changed}`), "start");
  }

  act() {
    const button = document.querySelector(BUTTON);
    if (startStep() > this.data.steps.length) {
      closeStart();
      goTo(this.data.links.lessons);
    } else if (startStep() === this.data.steps.length && button instanceof HTMLElement)
      button.click();
    else this.send("acted", { step: startStep(), at: Date.now() });
  }

  next() {
    startStep(startStep() + 1);
    if (startStep() > this.data.steps.length) finishStart();
    this.begin();
    const place = PLACES[startStep() - 1];
    if (place) bring(document.querySelector(place), "start");
  }

  draw() {
    const { steps, strings, end, links } = this.data;
    const number = startStep();
    const step = steps[number - 1];
    this.root.setAttribute("aria-label", strings.name);
    this.root.classList.toggle("done", this.done);
    find(this.root, "b").textContent = strings.name;
    this.part("what").textContent = strings.what;
    this.part("about").textContent = strings.about;
    find(this.root, ".about", HTMLAnchorElement).href = `.${links.about}`;
    this.part("close").title = strings.close;
    this.part("close").setAttribute("aria-label", strings.close);
    const text = step
      ? `${number}/${steps.length} ${this.done ? `✓ ${step.seen}` : step.say}`
      : end;
    if (this.text !== text) this.part("step").replaceChildren(...emphasised(text));
    this.text = text; // a screen reader would read the same text again
    this.part("act").textContent = step ? step.act : strings.lessons;
    this.part("act").hidden = Boolean(step && this.done);
    this.part("next").textContent = strings.next;
    this.part("next").hidden = !step;
  }
}

export default mount(".start", Start);
