// The toolbar above the steps: all steps, one step, the previous one, the next one. It is built once;
// later changes only mark the open step, so that a button keeps the focus.

import { build } from "./table.js";

/**
 * @param {HTMLElement} nav
 * @param {{ id: string, title: string }[]} cards
 * @param {Record<string, string>} strings
 * @param {(id: string) => void} open callback with the chosen step; "" for all
 * @returns {(only: string) => void} marks the open step
 */
export function buildNav(nav, cards, strings, open) {
  const ids = ["", ...cards.map((card) => card.id)];
  let at = 0; // index of the open step in ids
  /** @type {(button: HTMLButtonElement, target: () => string | undefined) => HTMLButtonElement} */
  const withClick = (button, target) => {
    button.type = "button";
    button.onclick = () => {
      const to = target();
      if (to !== undefined) open(to);
    };
    return button;
  };
  const [all, ...stepButtons] = ids.map((id, index) => {
    const title = index ? `${index} ${cards[index - 1].title}` : strings.all;
    return withClick(build("button", "", title), () => id);
  });
  /** @type {(sign: string, label: string, delta: number) => HTMLButtonElement} */
  const neighbourButton = (sign, label, delta) => {
    const button = withClick(build("button", "", sign), () => neighbour(delta));
    button.setAttribute("aria-label", label);
    return button;
  };
  // From all steps, the next one is the first.
  const neighbour = (/** @type {number} */ delta) => (at + delta > 0 ? ids[at + delta] : undefined);
  const [back, next] = [
    neighbourButton("◀", strings.back, -1),
    neighbourButton("▶", strings.next, 1),
  ];
  nav.setAttribute("role", "toolbar");
  nav.setAttribute("aria-label", strings.steps);
  nav.replaceChildren(all, back, ...stepButtons, next);
  return (only) => {
    at = Math.max(ids.indexOf(only), 0);
    [all, ...stepButtons].forEach((button, index) =>
      button.setAttribute("aria-pressed", String(index === at)),
    );
    // Not disabled: a disabled button would lose the focus.
    back.setAttribute("aria-disabled", String(neighbour(-1) === undefined));
    next.setAttribute("aria-disabled", String(neighbour(1) === undefined));
  };
}
