// The list of collected views: name, order or remove them; show two or three side by side.

import { button, element, message } from "../classroom/dom.js";
import { saveSnapshots, snapshotsOf } from "../classroom/snapshots.js";
import { addressOf, openView } from "../classroom/view_links.js";

const MOST = 3; // side by side: a fourth view would be too small on a projector

/** @typedef {import("../classroom/snapshots.js").Snapshot} Snapshot */

export class SnapshotList {
  /** @param {string} code of the room */
  constructor(code) {
    this.code = code;
    this.chosen = /** @type {Set<string>} */ (new Set());
    this.list = element("ol");
    this.show = button("", () => this.compare(), { className: "main" });
    this.section = element(
      "section.prepared.snapshots",
      element("h2", message("snapshots_title")),
      element("p.small", message("snapshots_words")),
      this.list,
      element("div.acts", this.show),
    );
    this.draw();
  }

  draw() {
    const snapshots = snapshotsOf(this.code);
    this.list.replaceChildren(...snapshots.map((_each, i) => this.row(i, snapshots)));
    this.show.hidden = !snapshots.length;
    this.update();
  }

  /** Show how many views are chosen; no more than MOST can be. */
  update() {
    const count = this.selected().length;
    this.show.textContent = message("compare", { count });
    this.show.disabled = count === 0;
    for (const box of this.list.querySelectorAll("input[type=checkbox]"))
      box.disabled = !box.checked && count >= MOST;
  }

  /** @returns {Snapshot[]} the chosen ones, in the order of the list */
  selected() {
    return snapshotsOf(this.code).filter((each) => this.chosen.has(keyOf(each)));
  }

  /** @param {number} i @param {Snapshot[]} snapshots */
  row(i, snapshots) {
    const snapshot = snapshots[i];
    const others = snapshots.toSpliced(i, 1);
    const save = (/** @type {Snapshot[]} */ list) => saveSnapshots(this.code, list);
    const key = keyOf(snapshot);
    const choose = (/** @type {any} */ { target }) => {
      if (target.checked) this.chosen.add(key);
      else this.chosen.delete(key);
      this.update();
    };
    const rename = (/** @type {any} */ { target }) => {
      const renamed = { ...snapshot, label: target.value };
      if (this.chosen.delete(key)) this.chosen.add(keyOf(renamed));
      save(others.toSpliced(i, 0, renamed));
    };
    const box = element("input", { type: "checkbox", checked: this.chosen.has(key) });
    box.onchange = choose;
    box.ariaLabel = message("snapshot_choose", { name: snapshot.label });
    const label = element("input.label", { value: snapshot.label, maxLength: 120 });
    label.onchange = rename;
    label.ariaLabel = message("snapshot_name", { number: i + 1 });
    return element(
      "li",
      box,
      label,
      button(message("enter"), () => openView(snapshot.view)),
      sign("↑", "snapshot_up", i, () => save(others.toSpliced(i - 1, 0, snapshot)), i === 0),
      sign(
        "↓",
        "snapshot_down",
        i,
        () => save(others.toSpliced(i + 1, 0, snapshot)),
        i === others.length,
      ),
      sign("✕", "snapshot_remove", i, () => save(others)),
    );
  }

  /** Show the chosen views side by side. Each is a page of its own, with all its controls. */
  compare() {
    const dialog = element("dialog.side-by-side", { onclose: () => dialog.remove() });
    const columns = this.selected().map(({ view, label }) =>
      element(
        "figure",
        element("figcaption", label),
        element("iframe", { title: label, src: addressOf(view, presentedSearch()) }),
      ),
    );
    const close = button(message("close"), () => dialog.close(), { className: "main" });
    dialog.ariaLabel = message("snapshots_title");
    dialog.style.setProperty("--columns", String(columns.length));
    dialog.append(element("div.views", columns), close);
    // Drawing the list replaces its content, so the dialog is next to it.
    this.section.parentElement?.append(dialog);
    dialog.showModal();
  }
}

/**
 * @param {string} text
 * @param {string} name of the message
 * @param {number} i
 * @param {() => void} onclick
 */
function sign(text, name, i, onclick, disabled = false) {
  const title = message(name, { number: i + 1 });
  return button(text, onclick, { className: "sign", title, ariaLabel: title, disabled });
}

/** @returns {string} the query of this visit, with present mode on */
function presentedSearch() {
  const query = new URLSearchParams(window.location.search);
  query.set("present", "1");
  return `?${query}`;
}

/** @param {Snapshot} snapshot */
function keyOf({ view, label }) {
  return `${label} ${view}`;
}
