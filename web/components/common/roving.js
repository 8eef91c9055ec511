// Roving tabindex: a group of buttons has one tab stop, and arrow keys move between the buttons.

/** @type {(key: string, at: number, count: number, columns?: number) => number | undefined} */
export function stepped(key, at, count, columns = 1) {
  return {
    ArrowRight: (at + 1) % count,
    ArrowDown: (at + columns) % count,
    ArrowLeft: (at + count - 1) % count,
    ArrowUp: (at + count - columns) % count,
    Home: 0,
    End: count - 1,
  }[key];
}

/**
 * @param {HTMLElement} group
 * @param {() => HTMLElement[]} buttons the current ones, row by row
 * @param {number} [columns] of a grid
 */
export function roving(group, buttons, columns) {
  let current = 0;
  const settle = () =>
    buttons().forEach((button, i, { length }) => {
      button.tabIndex = i === Math.min(current, length - 1) ? 0 : -1;
    });
  group.addEventListener("focusin", ({ target }) => {
    const at = buttons().indexOf(/** @type {HTMLElement} */ (target));
    if (at >= 0) current = at;
    settle();
  });
  group.addEventListener("keydown", (event) => {
    const all = buttons();
    const at = all.indexOf(/** @type {HTMLElement} */ (event.target));
    const next = stepped(event.key, at, all.length, columns);
    if (at < 0 || next === undefined) return;
    event.preventDefault();
    all[next].focus();
  });
  settle();
  return settle;
}
