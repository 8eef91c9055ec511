// The comparison: up to three views and results side by side, on all devices of the teacher.

import { presenting } from "../common/stage.js";
import { button, element, message } from "./dom.js";
import { questionContext, votesFigures } from "./results.js";
import { addressOf } from "./view_links.js";

export class Comparison {
  /**
   * @param {HTMLDialogElement} dialog
   * @param {{ draw: () => void, close: () => void }} actions `draw` is called after the comparison was
   *   hidden; `close` closes it on all devices
   */
  constructor(dialog, actions) {
    this.dialog = dialog;
    this.actions = actions;
    this.shown = "";
    this.hidden = "";
    this.columns = /** @type {Column[]} */ ([]);
    // No button has the first focus, because Enter is also a key of a presentation.
    this.views = element("div.views", { tabIndex: -1, autofocus: true });
    const look = button(message("look_page"), () => this.hide());
    const close = button(message("close"), () => this.close(), { className: "main" });
    dialog.ariaLabel = message("compared");
    dialog.replaceChildren(this.views, element("div.foot", look, close));
    // An arrow key must not move the page below, which the class may follow.
    dialog.onkeydown = (event) => event.stopPropagation();
    dialog.oncancel = (event) => {
      event.preventDefault();
      this.close();
    };
  }

  /** Whether this browser has hidden the comparison to look at the page. */
  get isHidden() {
    return this.hidden !== "";
  }

  /** @param {ComparedItem[]} items none closes it */
  show(items) {
    const ids = items.map(({ id }) => id).join();
    if (ids !== this.hidden) this.hidden = "";
    // A page that moves in the document is loaded again.
    if (ids !== this.shown) {
      this.columns = items.map(() => new Column());
      this.views.replaceChildren(...this.columns.map(({ root }) => root));
      this.dialog.style.setProperty("--columns", String(items.length));
    }
    this.shown = ids;
    this.dialog.classList.toggle("large", presenting());
    for (const [i, column] of this.columns.entries()) column.draw(items[i]);
    if (!ids || this.isHidden) this.dialog.close();
    else if (!this.dialog.open) this.dialog.showModal();
  }

  /** Hide it on this device to look at the page. */
  hide() {
    this.hidden = this.shown;
    this.actions.draw();
  }

  /**
   * Show it on this device again.
   *
   * @param {string} [ids] of the entries, separated by commas; if others are hidden, the next state
   *   of the room brings these
   */
  restore(ids = this.hidden) {
    if (ids !== this.hidden) return;
    this.hidden = "";
    this.actions.draw();
  }

  /** Close it on all devices; on this one also without a connection. */
  close() {
    this.hide();
    this.actions.close();
  }
}

/** One item of the comparison. */
class Column {
  constructor() {
    this.drawn = "";
    this.caption = element("figcaption");
    this.root = element("figure", this.caption);
  }

  /** @param {ComparedItem} item */
  draw(item) {
    const { label, view, question } = item;
    this.caption.textContent = label;
    const content = JSON.stringify(question ? [label, question] : view);
    if (content !== this.drawn)
      this.root.replaceChildren(this.caption, question ? results(item, question) : page(item));
    this.drawn = content;
    const [frame] = this.root.getElementsByTagName("iframe");
    if (frame) frame.title = label;
  }
}

/** @param {ComparedItem} item @returns {HTMLElement} the view as a page of its own, with its controls */
function page({ view }) {
  return element("iframe", { src: addressOf(view ?? "/", presentedSearch()) });
}

/**
 * @param {ComparedItem} item
 * @param {RoomQuestion} question
 * @returns {HTMLElement} the results of the question
 */
function results({ label }, question) {
  return element(
    "div.votes",
    { tabIndex: 0, role: "region", ariaLabel: question.prompt },
    !label.includes(question.prompt) && element("h2", question.prompt),
    questionContext(question),
    votesFigures(question),
  );
}

/** @returns {string} the query of this visit, with present mode on */
function presentedSearch() {
  const query = new URLSearchParams(window.location.search);
  query.set("present", "1");
  return `?${query}`;
}
