// The report of this browser: pinned figures with notes, which one HTML file can hold.

import { linkForOthers } from "../common/copying.js";
import { find, unset } from "../common/find.js";
import { mount } from "../common/mount.js";
import { save } from "../common/saving.js";
import { reportPage } from "./page.js";
import { deletePin, hasRoom, pins, putPin } from "./pins.js";

/**
 * @typedef {Record<"title" | "where" | "origin" | "open" | "pinned" | "full" | "failed" | "empty" |
 *   "note" | "earlier" | "later" | "remove" | "undo" | "save" | "close", string>} ReportWords
 * @typedef {import("./pins.js").Pin} Pin
 */

const READ = 6_000; // milliseconds for which a sentence is shown

/** @implements {Drawing<ReportWords>} */
class Report {
  /**
   * @param {HTMLElement} root
   * @param {AbortSignal} signal
   */
  constructor(root, signal) {
    this.button = find(root, ".open", HTMLButtonElement);
    this.said = find(root, ".said");
    this.dialog = find(root, "dialog", HTMLDialogElement);
    this.list = find(root, "ol");
    this.saveButton = find(root, ".save", HTMLButtonElement);
    this.closeButton = find(root, ".close", HTMLButtonElement);
    /** @type {ReportWords} */
    this.words = unset();
    /** @type {Pin[]} */
    this.pins = [];
    this.button.onclick = () => this.open();
    this.closeButton.onclick = () => this.dialog.close();
    this.saveButton.onclick = () => this.save();
    this.dialog.onclose = () => this.count();
    this.dialog.onclick = ({ target }) => target === this.dialog && this.dialog.close();
    window.addEventListener("headlight-pin", ({ detail }) => this.pin(detail), { signal });
    // Another tab can change the report.
    window.addEventListener("focus", () => this.dialog.open || this.count(), { signal });
    signal.addEventListener("abort", () => clearTimeout(this.timer));
  }

  /** @param {Component<ReportWords>} component */
  receive({ data }) {
    this.words = data;
    find(this.dialog, "h2").textContent = data.title;
    find(this.dialog, ".where").textContent = data.where;
    this.saveButton.textContent = data.save;
    this.closeButton.textContent = data.close;
    this.count();
  }

  /** @param {Picture} figure */
  async pin(figure) {
    await this.try(async () => {
      const stored = await pins();
      if (!hasRoom(stored, figure)) return this.say(this.words.full);
      const place = (stored.at(-1)?.place ?? 0) + 1;
      const page = document.title.split(" · ")[0];
      const link = figure.about?.link ?? linkForOthers("");
      const about = { ...figure.about, link };
      await putPin({ ...figure, about, place, page, note: "", at: new Date().toISOString() });
      this.say(this.words.pinned.replace("{count}", String(stored.length + 1)));
    });
    await this.count();
  }

  /** @param {string} text */
  say(text) {
    this.said.textContent = text;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => (this.said.textContent = ""), READ);
  }

  /**
   * @param {() => Promise<unknown>} act
   * @returns {Promise<void>} also if the browser cannot store; then a sentence says so
   */
  async try(act) {
    try {
      await act();
    } catch {
      this.say(this.words.failed);
    }
  }

  /** Show the button with the number of pins, if there are any. */
  async count() {
    const count = await pins().then(
      ({ length }) => length,
      () => 0, // a private window can refuse; pinning says so
    );
    this.button.hidden = !count;
    find(this.button, "span").textContent = String(count);
    const name = this.words.open.replace("{count}", String(count));
    this.button.title = name;
    this.button.setAttribute("aria-label", name);
  }

  async open() {
    await this.try(async () => {
      this.pins = await pins();
      this.draw();
      this.dialog.showModal();
    });
  }

  save() {
    const { words } = this;
    const file = reportPage(this.pins, words, document.documentElement.lang);
    save("headlight_report.html", "text/html", file);
  }

  // -- the list --------------------------------------------------------------------------------

  draw() {
    this.list.replaceChildren(...this.pins.map((pin, index) => this.item(pin, index)));
    this.saveButton.disabled = !this.pins.length;
    if (!this.pins.length) this.list.append(element("li", { textContent: this.words.empty }));
  }

  /**
   * @param {Pin} pin
   * @param {number} index
   * @returns {HTMLElement}
   */
  item(pin, index) {
    const { words } = this;
    const link = String(pin.about?.link);
    const image = element("img", { src: pin.picture, alt: pin.alt ?? pin.caption });
    const note = element("textarea", { value: pin.note, maxLength: 20_000 });
    note.oninput = () => {
      pin.note = note.value;
      this.try(() => putPin(pin));
    };
    const label = element("label", { textContent: words.note });
    label.append(note);
    const [up, down, remove] = ["earlier", "later", "remove"].map((name) => {
      const text = words[/** @type {keyof ReportWords} */ (name)];
      return element("button", { type: "button", textContent: text, className: name });
    });
    up.disabled = index === 0;
    down.disabled = index === this.pins.length - 1;
    up.onclick = () => this.move(pin, -1, "earlier");
    down.onclick = () => this.move(pin, 1, "later");
    remove.onclick = () => this.remove(pin, item);
    const tools = element("div", {});
    tools.append(up, down, remove);
    const beside = element("div", {});
    const title = element("p", { textContent: `${index + 1} · ${pin.page}. ${pin.caption}` });
    const address = element("p", {});
    address.append(element("a", { href: link, textContent: link }));
    beside.append(title, address, label, tools);
    const item = element("li", {});
    item.append(image, beside);
    return item;
  }

  /**
   * @param {Pin} one
   * @param {number} by
   * @param {string} button the class of the button that has the focus
   */
  async move(one, by, button) {
    const from = this.pins.indexOf(one);
    const to = from + by;
    const other = this.pins[to];
    if (!other) return;
    [one.place, other.place] = [other.place, one.place];
    [this.pins[from], this.pins[to]] = [other, one];
    this.draw();
    const item = this.list.children[to];
    const same = find(item, `.${button}`, HTMLButtonElement);
    (same.disabled ? find(item, "textarea") : same).focus();
    await this.try(() => Promise.all([putPin(one), putPin(other)]));
  }

  /**
   * @param {Pin} pin
   * @param {HTMLElement} item
   */
  async remove(pin, item) {
    const undo = element("button", { type: "button", textContent: this.words.undo });
    undo.onclick = async () => {
      await this.try(() => putPin(pin));
      await this.try(async () => (this.pins = await pins()));
      this.draw();
      find(this.list.children[this.pins.findIndex(({ id }) => id === pin.id)], "textarea").focus();
    };
    item.replaceChildren(undo);
    undo.focus();
    this.pins = this.pins.filter((each) => each !== pin);
    await this.try(() => deletePin(/** @type {number} */ (pin.id)));
  }
}

/**
 * @template {keyof HTMLElementTagNameMap} Name
 * @param {Name} name
 * @param {Partial<HTMLElementTagNameMap[Name]>} properties
 * @returns {HTMLElementTagNameMap[Name]}
 */
function element(name, properties) {
  return Object.assign(document.createElement(name), properties);
}

/**
 * @param {Component<ReportWords>} component
 * @returns {() => void}
 */
export default function (component) {
  return mount(component, ".headlight-report", Report);
}
