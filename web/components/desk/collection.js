// The list of what the teacher has collected: name, order or remove it; show two or three side by side.

import { callApi, errorMessage, MAX_LABEL } from "../classroom/api.js";
import { button, element, message } from "../classroom/dom.js";
import { openView } from "../classroom/view_links.js";

const MOST = 3; // side by side: a fourth figure would be too small on a projector

/**
 * @typedef {object} CollectedItem
 * @property {number} id
 * @property {string} label
 * @property {string | null} view null for the results of a question
 */

export class Collection {
  /** @param {string} code of the room @param {string} token @param {(text: string) => void} setAlert */
  constructor(code, token, setAlert) {
    this.code = code;
    this.token = token;
    this.setAlert = setAlert;
    /** The list that was loaded, as `RoomState.collected` counts it. */
    this.loaded = -1;
    this.items = /** @type {CollectedItem[]} */ ([]);
    this.chosen = /** @type {Set<number>} */ (new Set());
    this.list = element("ol");
    this.show = button("", () => this.compare(), { className: "main" });
    this.section = element(
      "section.prepared.collection",
      element("h2", message("collection_title")),
      element("p.small", message("collection_words")),
      this.list,
      element("div.acts", this.show),
    );
    // A list that arrives while a name is typed waits.
    this.list.addEventListener("focusout", () => this.waiting && this.draw());
    this.draw();
  }

  /** @param {RoomState} room */
  async receive({ collected }) {
    if (collected === undefined || collected === this.loaded) return;
    this.loaded = collected;
    const options = { token: this.token, method: "GET" };
    const response = await callApi(`/${this.code}/collected`, options);
    if (collected !== this.loaded) return; // a newer list is on its way
    if (response.status !== 200) {
      this.loaded = -1; // the next state of the room asks again
      this.setAlert(errorMessage(response));
      return;
    }
    this.items = response.body;
    this.draw();
  }

  /** @param {string} path @param {object} [options] */
  async call(path, options) {
    const request = { token: this.token, ...options };
    const error = errorMessage(await callApi(`/${this.code}${path}`, request));
    this.setAlert(error);
    return !error;
  }

  draw() {
    const focused = this.focused();
    this.waiting = focused?.matches("input.label") && focused.value !== focused.dataset.name;
    if (this.waiting) return;
    const key = focused?.dataset.key;
    this.list.replaceChildren(...this.items.map((item, i) => this.row(item, i)));
    this.show.hidden = !this.items.length;
    this.update();
    const again = key && this.list.querySelector(`[data-key="${key}"]`);
    if (again) again.focus();
  }

  /** @returns {any} the element of the list that has the focus */
  focused() {
    const root = /** @type {ShadowRoot | Document} */ (this.list.getRootNode());
    return this.list.contains(root.activeElement ?? null) ? root.activeElement : null;
  }

  /** Show how many are selected; no more than MOST can be. */
  update() {
    const count = this.selected().length;
    this.show.textContent = message("compare", { count });
    this.show.disabled = count === 0;
    for (const box of this.list.querySelectorAll("input[type=checkbox]"))
      box.disabled = !box.checked && count >= MOST;
  }

  /** @returns {number[]} */
  selected() {
    return this.items.map(({ id }) => id).filter((id) => this.chosen.has(id));
  }

  /** @param {CollectedItem} item @param {number} i */
  row({ id, label, view }, i) {
    const path = `/collected/${id}`;
    const choose = (/** @type {any} */ { target }) => {
      if (target.checked) this.chosen.add(id);
      else this.chosen.delete(id);
      this.update();
    };
    const rename = (/** @type {any} */ { target }) => {
      target.dataset.name = target.value;
      this.call(path, { body: { label: target.value } });
    };
    const sign = (
      /** @type {string} */ text,
      /** @type {string} */ name,
      /** @type {object} */ options,
      disabled = false,
    ) => {
      const title = message(name, { number: i + 1 });
      return button(text, () => this.call(path, options), {
        className: "sign",
        title,
        ariaLabel: title,
        disabled,
        "data-key": `${name} ${id}`,
      });
    };
    return element(
      "li",
      element("input", {
        type: "checkbox",
        checked: this.chosen.has(id),
        onchange: choose,
        ariaLabel: message("collected_choose", { name: label }),
        "data-key": `choose ${id}`,
      }),
      element("input.label", {
        value: label,
        maxLength: MAX_LABEL,
        onchange: rename,
        ariaLabel: message("collected_name", { number: i + 1 }),
        "data-name": label,
        "data-key": `name ${id}`,
      }),
      view === null
        ? element("span.kind", message("collected_results"))
        : button(message("enter"), () => openView(view), { "data-key": `open ${id}` }),
      sign("↑", "collected_up", { body: { by: -1 } }, i === 0),
      sign("↓", "collected_down", { body: { by: 1 } }, i === this.items.length - 1),
      sign("✕", "collected_remove", { method: "DELETE" }),
    );
  }

  /** Show what is selected side by side, on all devices of the teacher. */
  async compare() {
    const items = this.selected();
    if (await this.call("/compared", { body: { items } }))
      window.dispatchEvent(new CustomEvent("headlight-compare", { detail: items.join() }));
  }
}
