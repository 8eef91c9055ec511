// The inputs for the answer to a question: buttons, a number, or a layer and a head.

import { button, element } from "../classroom/dom.js";

/**
 * @typedef {object} Question
 * @property {"choice" | "number" | "head"} kind
 * @property {string[]} options
 * @property {Record<string, string>} strings
 */

/**
 * @param {Question} question
 * @param {{ answer: string, outcome: string } | null} chosen the answer so far
 * @param {(answer: string) => void} give called with an answer
 * @returns {HTMLElement[]}
 */
export function answerFields({ kind, options, strings }, chosen, give) {
  if (kind === "choice") return options.map((option) => choice(option, chosen, give));
  const given = chosen ? chosen.answer.split(".") : ["", ""];
  const names = kind === "head" ? [strings.layer, strings.head] : [strings.number];
  const values = kind === "head" ? given : [chosen?.answer ?? ""];
  const boxes = names.map((name, index) => box(name, values[index], kind === "head"));
  const onclick = () => {
    const answers = boxes.map(({ input }) => input.value.trim());
    if (answers.every(Boolean)) give(answers.join("."));
  };
  const submit = element("button", { onclick }, strings.check); // the Enter key submits the form too
  return [...boxes.map(({ label }) => label), submit];
}

/**
 * @param {string} option
 * @param {{ answer: string, outcome: string } | null} chosen
 * @param {(answer: string) => void} give
 */
function choice(option, chosen, give) {
  const pressed = chosen?.answer === option;
  const className = pressed ? (chosen.outcome === "right" ? "right" : "wrong") : "";
  return button(option, () => give(option), { className, "aria-pressed": String(pressed) });
}

/**
 * @param {string} name
 * @param {string} value
 * @param {boolean} whole whether the value is an integer
 */
function box(name, value, whole) {
  const inputMode = whole ? "numeric" : "decimal";
  const input = element("input", { inputMode, autocomplete: "off", size: whole ? 3 : 10, value });
  return { label: element("label", name, input), input };
}
