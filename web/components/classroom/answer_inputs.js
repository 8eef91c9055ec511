// The controls that a student answers with. They do not depend on the right answer.

import { answerOptions, parseNumber, range, sameAnswer } from "./answers.js";
import { button, element, message } from "./dom.js";

/**
 * @param {QuestionContent} question
 * @param {any} selected the answer that is chosen already; undefined for none
 * @param {(answer: any) => void} choose called with undefined if the input is not an answer
 * @returns {HTMLElement}
 */
export function answerInput(question, selected, choose) {
  const { kind, items } = question;
  if (kind === "number") return numberInput(selected, choose);
  const options = answerOptions(question);
  const buttons = options.map(({ label, answer }) => {
    const named = kind === "head" ? { title: label, ariaLabel: label } : {};
    return button(kind === "head" ? "" : label, () => press(answer), named);
  });
  const mark = (/** @type {any} */ chosen) =>
    buttons.forEach((each, i) => {
      each.setAttribute("aria-pressed", String(sameAnswer(options[i].answer, chosen)));
    });
  const press = (/** @type {any} */ answer) => {
    mark(answer);
    choose(answer);
  };
  mark(selected);
  if (kind === "head") {
    const grid = headGrid(items, buttons);
    gridKeys(grid, buttons, items.heads);
    return grid;
  }
  if (kind === "token") buttons[items.query].classList.add("asks");
  return element(kind === "token" ? "div.pick.row" : "div.pick.list", buttons);
}

/**
 * Give a grid one tab stop; the arrow keys move to the neighbours.
 *
 * @param {HTMLElement} grid
 * @param {HTMLButtonElement[]} buttons row by row
 * @param {number} columns
 */
function gridKeys(grid, buttons, columns) {
  const enter = (/** @type {number} */ at) =>
    buttons.forEach((each, i) => (each.tabIndex = i === at ? 0 : -1));
  const pressed = buttons.findIndex((each) => each.ariaPressed === "true");
  enter(Math.max(0, pressed));
  grid.addEventListener("keydown", (event) => {
    const at = buttons.indexOf(/** @type {HTMLButtonElement} */ (event.target));
    const step = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: columns, ArrowUp: -columns }[event.key];
    const next = buttons[at + (step ?? NaN)];
    if (at < 0 || !next) return;
    event.preventDefault();
    enter(buttons.indexOf(next));
    next.focus();
  });
}

/**
 * @param {{ layers: number, heads: number }} size
 * @param {HTMLElement[]} cells layer by layer
 * @returns {HTMLElement} a grid of layers and heads with their names, as in the overview
 */
export function headGrid({ layers, heads }, cells) {
  const columns = range(heads).map((head) => element("span.name", `H${head}`));
  const rows = range(layers).map((layer) => [
    element("span.name", `L${layer}`),
    ...cells.slice(layer * heads, (layer + 1) * heads),
  ]);
  const size = { "--heads": heads, "--layers": layers };
  return element("div.pick.heads", size, element("span"), columns, rows);
}

/**
 * A box, and why it cannot be read, with a button for each number that an ambiguous text can mean.
 *
 * @param {number | undefined} selected
 * @param {(answer: number | undefined) => void} choose
 */
function numberInput(selected, choose) {
  const value = selected === undefined ? "" : String(selected);
  const box = element("input", { inputMode: "decimal", autocomplete: "off", size: 12, value });
  const problem = element("span.error", { role: "status" });
  const change = () => {
    const { value: read, problem: text, meant = [] } = parseNumber(box.value);
    const buttons = meant.map((each) =>
      button(String(each), () => {
        box.value = String(each);
        change();
        box.focus();
      }),
    );
    problem.replaceChildren(text, ...buttons.flatMap((each) => [" ", each]));
    choose(read);
  };
  box.oninput = change;
  return element("label.number", message("your_number"), box, problem);
}
