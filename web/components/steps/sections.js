// The section of one step: its heading, its lines of matrices, and places for its messages.

import { element } from "../common/element.js";
import { goTo } from "../common/navigation.js";
import { MatrixTable } from "./table.js";

// In the wide layout, a line omits the matrices of the step before.
/** @type {Partial<Record<LineKind, string[]>>} */
const NEW_ITEMS = {
  divide: ["bias", "scaled_scores"],
  mask: ["allowed", "masked_scores"],
  softmax: ["exponentials", "row_sums", "weights"],
};

/** @param {import("./steps.js").Steps} steps @param {CalculationCard} card @param {number} index */
export function sectionOf(steps, card, index) {
  const { data } = steps;
  /** @type {MatrixTable[]} */
  const tables = [];
  const matrix = (/** @type {string} */ name, /** @type {CalculationLine} */ line) => {
    const table = new MatrixTable(name, line, steps);
    tables.push(table);
    return table.box;
  };
  const formula = element("div", "formula");
  const header = element("header", "", element("h3", "", `${index + 1} · ${card.title}`), formula);
  if (card.id === "scale") header.append(linkTo(data.strings.whyLink, data.strings.why));
  const notes = element("div", "notes");
  const problem = element("div", "problem");
  problem.role = "alert";
  const given = card.lines.filter((line) => line.kind === "given");
  const lines = card.lines.filter((line) => line.kind !== "given");
  const rows = lines.map((line) => layOut(line, data, (name) => matrix(name, line)));
  if (given.length) {
    const matrices = given.map((line) => matrix(line.items[0], line));
    rows.unshift(element("div", "line given", ...matrices));
  }
  const spelled = element("div", "spelled");
  const kind = card.id === "mistake" ? "mistake" : "";
  const root = element("section", kind, header, notes, problem, ...rows, spelled);
  root.dataset.card = card.id;
  return { root, formula, notes, problem, spelled, card, tables };
}

/** @param {CalculationLine} line @param {Calculation} data @param {(name: string) => Node} matrix */
function layOut({ items, kind }, data, matrix) {
  const drawn = (/** @type {string} */ item) =>
    item in data.matrices ? matrix(item) : element("span", "operator", item);
  if (!data.wide) return element("div", `line ${kind}`, ...items.map(drawn));
  // As on paper: the right factor above the result, the left one beside it.
  if (kind === "product")
    return element("div", "line corner", ...["", items[2], items[0], items[4]].map(drawn));
  const shown = items.includes("source") ? items : (NEW_ITEMS[kind] ?? items);
  const matrices = shown.filter((item) => items.includes(item) && item in data.matrices);
  return element("div", `line ${kind}`, ...matrices.map(matrix));
}

/** @param {string} address from the application's root @param {string} text */
function linkTo(address, text) {
  const link = element("a", "", text);
  link.href = address.slice(1);
  link.onclick = (event) => {
    event.preventDefault();
    goTo(address);
  };
  return link;
}
