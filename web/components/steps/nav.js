// The toolbar above the steps: all steps, or one. It is built once; later changes only mark the open
// step, so that a button keeps the focus.

import { buttonOf } from "../common/element.js";

/**
 * @param {HTMLElement} nav
 * @param {{ id: string, title: string }[]} cards
 * @param {Record<string, string>} strings
 * @param {(id: string) => void} open callback with the chosen step; "" for all
 * @returns {(only: string) => void} marks the open step
 */
export function buildNav(nav, cards, strings, open) {
  const titles = [strings.all, ...cards.map((card, index) => `${index + 1} ${card.title}`)];
  const ids = ["", ...cards.map((card) => card.id)];
  const buttons = titles.map((title, index) => buttonOf("", title, () => open(ids[index])));
  nav.setAttribute("role", "toolbar");
  nav.setAttribute("aria-label", strings.steps);
  nav.replaceChildren(...buttons);
  return (only) =>
    buttons.forEach((button, index) =>
      button.setAttribute("aria-pressed", String(ids[index] === only)),
    );
}
