// Workarounds for Streamlit's selectbox that accepts new options, where a model is chosen.
//
// - On the first change, the box removes the selected option from the text. If "scratch" is selected,
//   "scratch@400" becomes "@400". The box does not do so when it is empty, so this empties it before
//   each change.
// - The box puts typed text behind the selected option. This selects the text when the box opens, so
//   that typed text replaces it.
// - Enter adds the typed text as an option even if the list has one that contains it. This takes the
//   latter: "sm" and Enter choose smollm2.

import { findAll } from "./find.js";

const KEYS = ["left", "right", "studied", "g_model", "layer_translator"];
const CLASSES = [...KEYS.map((key) => `.st-key-${key}`), '[class*="st-key-translator_box"]'];
const BOXES = `:is(${CLASSES.join()}) input[role=combobox]`;
const setValue = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value")?.set;

/** @param {AbortSignal} signal ends it */
export function keepWhatIsTyped(signal) {
  const listening = { capture: true, signal };
  document.addEventListener(
    "input",
    ({ target, isTrusted }) => {
      const box = boxOf(target);
      if (!isTrusted || !box?.value) return; // not an event from here
      const [typed, caret] = [box.value, box.selectionStart];
      for (const value of ["", typed]) {
        setValue?.call(box, value);
        box.dispatchEvent(new Event("input", { bubbles: true }));
      }
      box.setSelectionRange(caret, caret);
    },
    listening,
  );
  document.addEventListener("pointerdown", ({ target }) => selectText(target), listening);
  document.addEventListener("keydown", (event) => takeMatch(event), listening);
}

/** @param {EventTarget | null} target */
function boxOf(target) {
  return target instanceof HTMLInputElement && target.matches(BOXES) ? target : null;
}

/** @param {EventTarget | null} pressed an element that opens the box: its text, its arrow, its edge */
function selectText(pressed) {
  if (!(pressed instanceof Element)) return;
  const box = pressed.closest(`:is(${CLASSES.join()})`)?.querySelector("input[role=combobox]");
  if (!(box instanceof HTMLInputElement) || box.getAttribute("aria-expanded") === "true") return;
  // The browser places the caret between the press and the click.
  document.addEventListener("click", () => document.activeElement === box && box.select(), {
    once: true,
  });
}

/** @param {KeyboardEvent} event */
function takeMatch(event) {
  const box = boxOf(event.target);
  const list = box && document.getElementById(box.getAttribute("aria-controls") ?? "");
  if (event.key !== "Enter" || !box || !list) return;
  const [first, ...others] = findAll(list, "[role=option]");
  const { value: typed } = box;
  // The first option adds the text. Another one is in focus if somebody chose it with the arrows.
  if (!first || box.getAttribute("aria-activedescendant") !== first.id) return;
  if (!typed || first.textContent === typed) return;
  const match = others.find(({ textContent }) => textContent.includes(typed));
  if (!match) return;
  event.preventDefault();
  event.stopImmediatePropagation();
  match.click();
}
