// The small parts around a grid's cells: buttons for its size, a box to tick, a row to clear.

/**
 * @param {number} count how many rows or columns there are
 * @param {string} name of what is counted
 * @param {(delta: number) => boolean} may whether it may be pressed
 * @param {(delta: number) => void} act
 * @returns {HTMLElement}
 */
export function counter(count, name, may, act) {
  const box = document.createElement("span");
  box.className = "sizes";
  const button = (sign, delta) => {
    const part = buttonOf(sign, () => may(delta) && act(delta));
    part.dataset.at = `${name} ${sign}`;
    part.setAttribute("aria-label", `${name} ${sign}`);
    part.setAttribute("aria-disabled", String(!may(delta))); // a disabled one would lose the keyboard
    return part;
  };
  box.append(button("−", -1), String(count), button("+", 1));
  return box;
}

/**
 * @param {string} text beside it
 * @param {boolean} checked
 * @param {(checked: boolean) => void} act
 * @returns {HTMLElement}
 */
export function tickBox(text, checked, act) {
  const label = document.createElement("label");
  label.className = "together";
  const box = document.createElement("input");
  box.type = "checkbox";
  box.checked = checked;
  box.onchange = () => act(box.checked);
  label.append(box, text);
  return label;
}

/**
 * @param {{ kept: string, clear: string }} strings
 * @param {() => void} act
 * @returns {HTMLElement}
 */
export function keepingRow(strings, act) {
  const row = document.createElement("div");
  row.className = "keeping";
  const clear = buttonOf(strings.clear, act);
  clear.dataset.at = "clear";
  row.append(strings.kept, clear);
  return row;
}

function buttonOf(text, act) {
  const part = document.createElement("button");
  part.type = "button";
  part.textContent = text;
  part.onclick = act;
  return part;
}
