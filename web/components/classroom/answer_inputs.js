// The controls that a student answers with. They do not depend on the right answer.

import { roving } from "../common/roving.js";
import { answerOptions, range, sameAnswer } from "./answers.js";
import { button, build, message } from "./dom.js";

const NAMED = 12; // layers whose names are readable beside each other

/**
 * @param {QuestionContent} question
 * @param {any} selected the answer that is chosen already; undefined for none
 * @param {(answer: any) => void} choose called with undefined if nothing is typed
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
      each.ariaPressed = String(sameAnswer(options[i].answer, chosen));
    });
  const press = (/** @type {any} */ answer) => {
    mark(answer);
    choose(answer);
  };
  mark(selected);
  if (kind === "head") {
    const grid = headGrid(items, buttons);
    roving(grid, () => buttons, items.heads);
    return grid;
  }
  if (kind === "token") buttons[items.query].classList.add("asks");
  return build(kind === "token" ? "div.pick.row" : "div.pick.list", buttons);
}

/**
 * @param {{ layers: number, heads: number }} size
 * @param {HTMLElement[]} cells layer by layer
 * @returns {HTMLElement} a grid of layers and heads with their names, as in the overview
 */
export function headGrid({ layers, heads }, cells) {
  const columns = range(heads).map((head) => build("span.name", `H${head}`));
  const every = Math.ceil(layers / NAMED);
  const rows = range(layers).map((layer) => [
    build("span.name", layer % every ? "" : `L${layer}`),
    ...cells.slice(layer * heads, (layer + 1) * heads),
  ]);
  const size = { "--heads": heads, "--layers": layers };
  return build("div.pick.heads", size, build("span"), columns, rows);
}

/** @param {any} selected @param {(answer: string | undefined) => void} choose */
function numberInput(selected, choose) {
  const value = String(selected ?? "");
  const box = build("input", { inputMode: "decimal", autocomplete: "off", size: 12, value });
  box.oninput = () => choose(box.value.trim() || undefined); // the server reads the number
  return build("label.number", message("your_number"), box);
}
