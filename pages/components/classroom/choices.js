// What a student chooses from. Nothing of it says what is right.

import { headName, make, pressed } from "./bits.js";

/**
 * @param {RoomQuestion} question
 * @param {Record<string, string>} words
 * @param {(answer: any) => void} choose undefined where what stands there is no answer
 * @param {any} own what was chosen, if it was
 * @returns {HTMLElement}
 */
export function choices({ kind, items }, words, choose, own) {
  if (kind === "number") return numberBox(words, choose, own);
  if (kind === "token") return tokenChoice(items, choose, own);
  if (kind === "head") return headChoice(items, choose, own);
  const options = kind === "layer" ? layerNames(items.layers) : items.options;
  const list = make("div", { className: kind === "layer" ? "pick row" : "pick list" });
  const places = options.map((option, i) => [option, i]);
  list.append(...choosing(places, choose, own));
  return list;
}

/** @param {number} count */
export function layerNames(count) {
  return Array.from({ length: count }, (_each, layer) => `L${layer}`);
}

/**
 * @param {any} items
 * @param {(answer: any) => void} choose
 * @param {any} own
 */
function tokenChoice({ tokens, query }, choose, own) {
  const buttons = choosing(
    tokens.map((token, i) => [token, i]),
    choose,
    own,
  );
  buttons[query].classList.add("asks");
  return make("div", { className: "pick row" }, ...buttons);
}

/**
 * Layers downwards, heads to the right, as on the overview.
 *
 * @param {any} items
 * @param {(answer: any) => void} choose
 * @param {any} own
 */
function headChoice({ layers, heads }, choose, own) {
  const places = layerNames(layers).flatMap((_each, layer) =>
    Array.from({ length: heads }, (_one, head) => [headName(layer, head), [layer, head]]),
  );
  const buttons = choosing(places, choose, own);
  buttons.forEach((button, i) => {
    const [name, [layer, head]] = /** @type {[string, number[]]} */ (places[i]);
    button.textContent = "";
    button.ariaLabel = button.title = name;
    at(button, layer, head);
  });
  const grid = headGrid(layers, heads);
  grid.append(...buttons);
  return grid;
}

/**
 * @param {number} layers
 * @param {number} heads
 * @returns {HTMLElement} a grid with the names of its rows and columns
 */
export function headGrid(layers, heads) {
  const grid = make("div", { className: "pick heads" });
  grid.style.setProperty("--heads", String(heads));
  grid.style.setProperty("--layers", String(layers));
  for (let head = 0; head < heads; head++) {
    grid.append(at(make("span", { className: "name" }, `H${head}`), -1, head));
  }
  for (let layer = 0; layer < layers; layer++) {
    grid.append(at(make("span", { className: "name" }, `L${layer}`), layer, -1));
  }
  return grid;
}

/**
 * @param {HTMLElement} element
 * @param {number} layer
 * @param {number} head
 */
export function at(element, layer, head) {
  element.style.gridArea = `${layer + 2} / ${head + 2}`;
  return element;
}

/**
 * @param {any[][]} options what each says and means
 * @param {(answer: any) => void} choose
 * @param {any} own
 * @returns {HTMLButtonElement[]}
 */
function choosing(options, choose, own) {
  const buttons = options.map(([said, meant]) =>
    pressed(said, () => {
      mark(meant);
      choose(meant);
    }),
  );
  const mark = (chosen) =>
    buttons.forEach((button, i) => {
      const same = JSON.stringify(options[i][1]) === JSON.stringify(chosen);
      button.setAttribute("aria-pressed", String(same));
    });
  mark(own);
  return buttons;
}

/**
 * @param {Record<string, string>} words
 * @param {(answer: any) => void} choose
 * @param {number | undefined} own
 */
function numberBox(words, choose, own) {
  const box = make("input", { inputMode: "decimal", autocomplete: "off", size: 12 });
  box.value = own === undefined ? "" : String(own);
  box.oninput = () => choose(numberIn(box.value));
  return make("label", { className: "number" }, words.your_number, box);
}

/**
 * @param {string} text
 * @returns {number | undefined} what a person wrote, with a comma or a point
 */
export function numberIn(text) {
  const plain = text.trim().replace("−", "-").replace(",", ".");
  if (!/^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(plain)) return undefined;
  const value = Number(plain);
  return Number.isFinite(value) ? value : undefined;
}
