// Controls around the grids: size buttons, and a row to clear the answers.

/**
 * @param {number} count number of rows or columns
 * @param {string} name label of the buttons
 * @param {(delta: number) => boolean} may whether the count may change by delta
 * @param {(delta: number) => void} act
 * @returns {HTMLElement}
 */
export function counter(count, name, may, act) {
  const box = document.createElement("span");
  box.className = "sizes";
  const button = (/** @type {string} */ sign, /** @type {number} */ delta) => {
    const part = buttonOf(sign, () => {
      if (may(delta)) act(delta);
    });
    part.dataset.at = `${name} ${sign}`;
    part.setAttribute("aria-label", `${name} ${sign}`);
    part.setAttribute("aria-disabled", String(!may(delta))); // a disabled button would lose the focus
    return part;
  };
  box.append(button("−", -1), String(count), button("+", 1));
  return box;
}

/** @param {Record<string, string>} strings @param {() => void} act @returns {HTMLElement} */
export function storageRow(strings, act) {
  const row = document.createElement("div");
  row.className = "storage";
  const clear = buttonOf(strings.clear, act);
  clear.dataset.at = "clear";
  row.append(strings.kept, clear);
  return row;
}

/** @param {string} text @param {() => void} act */
function buttonOf(text, act) {
  const part = document.createElement("button");
  part.type = "button";
  part.textContent = text;
  part.onclick = act;
  return part;
}
