// Keys of the presentation, and the movements of arrow keys.

import { STREAMLIT } from "../../streamlit_patches/elements.js";

const TYPED = "input:not([type=range]), textarea, select, [contenteditable=true]";
const OWN = `[role="combobox"], [role="listbox"], [role="slider"], [role="radio"], [role="tab"], [role="menu"], [role="grid"], input[type=range]`;
const PRESSED = "button, a[href], summary, [role=button]";
const MENU = `${STREAMLIT.popover}, [role="listbox"], [role="menu"]`; // of Streamlit
const ARROWS = ["ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown", "Enter", " "];

/** @type {Record<string, Move | undefined>} */
export const MOVES = {
  ArrowLeft: { down: 0, across: -1 },
  ArrowRight: { down: 0, across: 1 },
  ArrowUp: { down: -1, across: 0 },
  ArrowDown: { down: 1, across: 0 },
  PageUp: { down: 0, across: -1 }, // sent by a presenter's remote control
  PageDown: { down: 0, across: 1 },
};

/**
 * @param {KeyboardEvent} event
 * @returns {boolean} whether the focused element uses the key: a text field, a list of choices, or
 *   a button
 */
export function typing(event) {
  const [at] = event.composedPath();
  if (!(at instanceof Element)) return false;
  if (at.closest(TYPED)) return true;
  if (!ARROWS.includes(event.key)) return false;
  return Boolean(at.closest(OWN) || ([" ", "Enter"].includes(event.key) && at.closest(PRESSED)));
}

/** After a click on a button, the keys are the presentation's again. @param {MouseEvent} event */
export function release(event) {
  const [at] = event.composedPath();
  if (!event.detail || !(at instanceof Element)) return; // pressed by a key
  /** @type {HTMLElement | null} */ (at.closest(PRESSED))?.blur();
}

/** @returns {boolean} whether Escape closes something on top of the page: a menu, or a dialog that is no question of a room */
export function laidOver() {
  const roots = [...document.querySelectorAll("*")].map(({ shadowRoot }) => shadowRoot);
  const modal = [document, ...roots].some((root) => root?.querySelector(":modal:not(.question)"));
  return modal || document.querySelector(MENU) !== null;
}
