// Controls around the grids: size buttons, and a row to clear the answers.

import { buttonOf, element } from "../common/element.js";

/**
 * Buttons for a number of rows or columns.
 *
 * @type {(count: number, name: string, may: (delta: number) => boolean,
 *   act: (delta: number) => void) => HTMLElement}
 */
export function counter(count, name, may, act) {
  const button = (/** @type {string} */ sign, /** @type {number} */ delta) => {
    const part = buttonOf("", sign, () => may(delta) && act(delta));
    part.dataset.at = `${name} ${sign}`;
    part.setAttribute("aria-label", `${name} ${sign}`);
    part.setAttribute("aria-disabled", String(!may(delta))); // a disabled button would lose the focus
    return part;
  };
  return element("span", "sizes", button("−", -1), String(count), button("+", 1));
}

/** @param {Record<string, string>} strings @param {() => void} act */
export function storageRow(strings, act) {
  const clear = buttonOf("", strings.clear, act);
  clear.dataset.at = "clear";
  return element("div", "storage", strings.kept, clear);
}
