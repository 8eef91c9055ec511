// The controls that a student answers with. They do not depend on the right answer.

import { answerOptions, parseNumber, percentName, range, sameAnswer } from "./answers.js";
import { button, element, message } from "./dom.js";
import { sentenceInput } from "./own_sentence.js";

const MAX_REASON = 200; // characters
const N_CONFIDENCE = 3;

/**
 * @param {QuestionContent} question
 * @param {any} selected the answer that is chosen already; undefined for none
 * @param {(answer: any) => void} choose undefined if the input is not an answer
 * @returns {HTMLElement}
 */
export function answerInput(question, selected, choose) {
  const { kind, items } = question;
  if (kind === "number") return numberInput(selected, choose);
  if (kind === "sentence") return sentenceInput(items, selected, choose);
  if (kind === "sketch") return sketchInput(items, selected, choose);
  if (kind === "mask") return maskInput(items, selected, choose);
  if (kind === "alignment") return alignmentInput(items, selected, choose);
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
  const list = kind === "choice" || kind === "next";
  return element(list ? "div.pick.list" : "div.pick.row", buttons);
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
 * A slider for each token. Only their ratios count, because a row sums to 1.
 *
 * @param {{ tokens: string[], query: number }} items
 * @param {number[] | undefined} selected the shares
 * @param {(answer: number[] | undefined) => void} choose
 */
function sketchInput({ tokens, query }, selected, choose) {
  const sliders = tokens.map((token, i) =>
    element("input", {
      type: "range",
      min: 0,
      max: 100,
      value: selected ? Math.round((100 * selected[i]) / Math.max(...selected)) : 0,
      ariaLabel: token,
      oninput: () => change(),
    }),
  );
  const shares = tokens.map(() => element("output"));
  const read = () => {
    const values = sliders.map(({ value }) => Number(value));
    const total = values.reduce((sum, value) => sum + value, 0);
    return total ? values.map((value) => value / total) : undefined;
  };
  const write = (/** @type {number[] | undefined} */ row) =>
    shares.forEach((share, i) => (share.textContent = row ? percentName(row[i]) : ""));
  const change = () => {
    write(read());
    choose(read());
  };
  write(selected);
  const lines = tokens.map((token, i) =>
    element(`label${i === query ? ".asks" : ""}`, element("span", token), sliders[i], shares[i]),
  );
  return element("div.sketch", lines);
}

/**
 * A button for each cell, which is pressed if the query may see the key.
 *
 * @param {{ tokens: string[] }} items
 * @param {string[] | undefined} selected a row of 0 and 1 for each query
 * @param {(answer: string[]) => void} choose
 */
function maskInput({ tokens }, selected, choose) {
  const size = tokens.length;
  const cells = [...(selected?.join("") ?? "0".repeat(size * size))];
  const buttons = cells.map((cell, i) => {
    const pair = { query: tokens[Math.floor(i / size)], key: tokens[i % size] };
    const name = message("mask_cell", pair);
    const each = button("", () => press(i), { ariaLabel: name, title: name });
    each.setAttribute("aria-pressed", String(cell === "1"));
    return each;
  });
  const press = (/** @type {number} */ i) => {
    cells[i] = cells[i] === "1" ? "0" : "1";
    buttons[i].setAttribute("aria-pressed", String(cells[i] === "1"));
    choose(range(size).map((row) => cells.slice(row * size, (row + 1) * size).join("")));
  };
  const rows = range(size).map((row) => buttons.slice(row * size, (row + 1) * size));
  const grid = cellTable(tokens, tokens, rows);
  grid.classList.add("pick");
  gridKeys(grid, buttons, size);
  return grid;
}

/**
 * A list of the source tokens for each target token.
 *
 * @param {{ tokens: string[], targets: string[] }} items
 * @param {number[] | undefined} selected indices of source tokens; -1 for none yet
 * @param {(answer: number[]) => void} choose
 */
function alignmentInput({ tokens, targets }, selected, choose) {
  const sources = selected ? [...selected] : targets.map(() => -1);
  const lines = targets.map((target, row) => {
    const options = ["", ...tokens].map((token, i) =>
      element("option", { value: String(i - 1), selected: i - 1 === sources[row] }, token),
    );
    const list = element("select", {
      onchange: () => {
        sources[row] = Number(list.value);
        choose([...sources]);
      },
    });
    list.append(...options);
    return element("label", element("span", target), list);
  });
  return element("div.alignment", lines);
}

/**
 * @param {string[]} rows names
 * @param {string[]} columns names
 * @param {(HTMLElement | string)[][]} cells their contents
 * @returns {HTMLElement} a table of rows and columns with their names
 */
export function cellTable(rows, columns, cells) {
  const head = columns.map((name) => element("th", { scope: "col" }, element("span", name)));
  const lines = rows.map((name, row) =>
    element(
      "tr",
      element("th", { scope: "row" }, name),
      cells[row].map((cell) => element("td", cell)),
    ),
  );
  return element(
    "table.cells",
    { "--columns": columns.length },
    element("thead", element("tr", element("td"), head)),
    element("tbody", lines),
  );
}

/** @param {number | undefined} value @param {(answer: number | undefined) => void} choose */
function numberInput(value, choose) {
  const { box, problem } = numberBox(value === undefined ? "" : String(value));
  box.addEventListener("input", () => choose(parseNumber(box.value).value));
  return element("label.number", message("your_number"), box, problem);
}

/**
 * @param {AnswerExtras} extras given so far
 * @param {(extras: AnswerExtras) => void} change
 * @returns {HTMLElement} how sure the student is, and why; both are optional
 */
export function extrasInput(extras, change) {
  let given = extras;
  const set = (/** @type {AnswerExtras} */ changed) => change((given = { ...given, ...changed }));
  const options = range(N_CONFIDENCE).map((confidence) =>
    element(
      "label",
      element("input", {
        type: "radio",
        name: "confidence",
        checked: given.confidence === confidence,
        onchange: () => set({ confidence }),
      }),
      message(`confidence_${confidence}`),
    ),
  );
  const reason = element("input", { maxLength: MAX_REASON, autocomplete: "off" });
  reason.value = given.reason ?? "";
  reason.oninput = () => set({ reason: reason.value });
  return element(
    "div.extras",
    element("div", { role: "radiogroup", ariaLabel: message("how_sure") }, [
      element("span", message("how_sure")),
      ...options,
    ]),
    element("label", element("span", message("why")), reason),
  );
}

/**
 * @returns {{ box: HTMLInputElement, problem: HTMLElement }} a box, and why it cannot be read, with a
 *   button for each number that an ambiguous text can mean
 */
export function numberBox(value = "") {
  const box = element("input", { inputMode: "decimal", autocomplete: "off", size: 12, value });
  const problem = element("span.error", { role: "status" });
  const choose = (/** @type {number} */ value) => {
    box.value = String(value);
    box.dispatchEvent(new Event("input", { bubbles: true }));
    box.focus();
  };
  box.addEventListener("input", () => {
    const { problem: text, meant = [] } = parseNumber(box.value);
    const buttons = meant.map((value) => button(String(value), () => choose(value)));
    problem.replaceChildren(text, ...buttons.flatMap((each) => [" ", each]));
  });
  return { box, problem };
}
