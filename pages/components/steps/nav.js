// The row of buttons above the steps: all of them, one of them, the one before, the next. It is built
// once and then only told what is pressed, so that the button in use keeps the keyboard.

import { build } from "./table.js";

/**
 * @param {HTMLElement} nav
 * @param {{ id: string, title: string }[]} cards
 * @param {{ steps: string, all: string, back: string, next: string }} strings
 * @param {(id: string) => void} open is told which step is chosen; "" for all of them
 * @returns {(only: string) => void} tells the buttons which step is open
 */
export function buildNav(nav, cards, strings, open) {
  const ids = ["", ...cards.map((card) => card.id)];
  let at = 0; // of the step that is open, in ids
  const act = (button, place) => {
    button.type = "button";
    button.onclick = () => {
      const to = place();
      if (to !== undefined) open(to);
    };
    return button;
  };
  const [all, ...one] = ids.map((id, index) => {
    const title = index ? `${index} ${cards[index - 1].title}` : strings.all;
    return act(build("button", "", title), () => id);
  });
  const beside = (sign, label, delta) => {
    const button = act(build("button", "", sign), () => neighbour(delta));
    button.setAttribute("aria-label", label);
    return button;
  };
  // From all of the steps, the next one is the first.
  const neighbour = (delta) => (at + delta > 0 ? ids[at + delta] : undefined);
  const [back, next] = [beside("◀", strings.back, -1), beside("▶", strings.next, 1)];
  nav.setAttribute("role", "toolbar");
  nav.setAttribute("aria-label", strings.steps);
  nav.replaceChildren(all, back, ...one, next);
  return (only) => {
    at = Math.max(ids.indexOf(only), 0);
    [all, ...one].forEach((button, index) =>
      button.setAttribute("aria-pressed", String(index === at)),
    );
    // Not disabled: a disabled button would throw the keyboard away.
    back.setAttribute("aria-disabled", String(neighbour(-1) === undefined));
    next.setAttribute("aria-disabled", String(neighbour(1) === undefined));
  };
}
