// The inputs for the answer to a question: buttons, a number, or a layer and a head.

/**
 * @typedef {object} Question
 * @property {"options" | "number" | "head"} kind
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
  if (kind === "options") return options.map((option) => choice(option, chosen, give));
  const given = chosen ? chosen.answer.split(".") : ["", ""];
  const names = kind === "head" ? [strings.layer, strings.head] : [strings.number];
  const values = kind === "head" ? given : [chosen?.answer ?? ""];
  const boxes = names.map((name, index) => box(name, values[index], kind === "head"));
  const submit = document.createElement("button");
  submit.textContent = strings.check; // the Enter key submits the form too
  submit.onclick = () => {
    const answers = boxes.map(({ input }) => input.value.trim());
    if (answers.every(Boolean)) give(answers.join("."));
  };
  return [...boxes.map(({ label }) => label), submit];
}

/**
 * @param {string} option
 * @param {{ answer: string, outcome: string } | null} chosen
 * @param {(answer: string) => void} give
 */
function choice(option, chosen, give) {
  const button = document.createElement("button");
  const pressed = chosen?.answer === option;
  button.type = "button";
  button.textContent = option;
  button.setAttribute("aria-pressed", String(pressed));
  if (pressed) button.className = chosen?.outcome === "right" ? "right" : "wrong";
  button.onclick = () => give(option);
  return button;
}

/**
 * @param {string} name
 * @param {string} value
 * @param {boolean} whole whether the value is an integer
 */
function box(name, value, whole) {
  const label = document.createElement("label");
  const input = document.createElement("input");
  input.inputMode = whole ? "numeric" : "decimal";
  input.autocomplete = "off";
  input.value = value;
  if (whole) input.style.width = "3.5em";
  label.append(name, input);
  return { label, input };
}
