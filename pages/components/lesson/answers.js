// What a question is answered with: buttons, a number, or a layer and a head.

/**
 * @typedef {object} Asked
 * @property {"options" | "number" | "head"} [kind]
 * @property {string[]} [options]
 * @property {Record<string, string>} strings
 */

/**
 * @param {Asked} asked
 * @param {{ answer: string, right: boolean } | null} chosen
 * @param {(answer: string) => void} give
 * @returns {HTMLElement[]}
 */
export function answerFields({ kind, options, strings }, chosen, give) {
  if (kind === "options") return options.map((option) => choice(option, chosen, give));
  const given = chosen ? chosen.answer.split(".") : ["", ""];
  const names = kind === "head" ? [strings.layer, strings.head] : [strings.number];
  const values = kind === "head" ? given : [chosen?.answer ?? ""];
  const boxes = names.map((name, index) => box(name, values[index], kind === "head"));
  const submit = document.createElement("button");
  submit.textContent = strings.check; // of a form: the Enter key does the same
  submit.onclick = () => {
    const answers = boxes.map(({ input }) => input.value.trim());
    if (answers.every(Boolean)) give(answers.join("."));
  };
  return [...boxes.map(({ label }) => label), submit];
}

/**
 * An answer as it is printed.
 *
 * @param {string} kind
 * @param {string} answer
 */
export function shownAnswer(kind, answer) {
  if (kind !== "head") return answer;
  const [layer, head] = answer.split(".");
  return `L${layer}·H${head}`;
}

/**
 * @param {string} option
 * @param {{ answer: string, right: boolean } | null} chosen
 * @param {(answer: string) => void} give
 */
function choice(option, chosen, give) {
  const button = document.createElement("button");
  const pressed = chosen?.answer === option;
  button.type = "button";
  button.textContent = option;
  button.setAttribute("aria-pressed", String(pressed));
  if (pressed) button.className = chosen.right ? "right" : "wrong";
  button.onclick = () => give(option);
  return button;
}

/**
 * @param {string} name
 * @param {string} value
 * @param {boolean} whole whether it counts
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
