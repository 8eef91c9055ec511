// The section of one step: its heading, its lines of matrices, and places for its messages.

import { element } from "../common/element.js";
import { goTo } from "../common/navigation.js";
import { layOut, rowOf } from "./layout.js";
import { tableOf } from "./table.js";

/**
 * @typedef {object} Table a matrix that is drawn
 * @property {string} name
 * @property {CalculationLine} line
 * @property {CalculationCell[]} cells
 * @property {(named: CalculationMatrix) => void} label renames the axes
 */

/** @typedef {ReturnType<typeof sectionOf>} Section */

/**
 * @param {Calculation} data
 * @param {CalculationCard} card
 * @param {number} index
 * @param {CellAction} act
 */
export function sectionOf(data, card, index, act) {
  /** @type {Table[]} */
  const tables = [];
  const matrix = (/** @type {string} */ name, /** @type {CalculationLine} */ line) => {
    const { box, cells, label } = tableOf(name, data.matrices[name], (i, j) => act(name, i, j));
    tables.push({ name, line, cells, label });
    return box;
  };
  const root = document.createElement("section");
  root.dataset.card = card.id;
  if (card.id === "mistake") root.className = "mistake";
  const header = document.createElement("header");
  const formula = element("div", "formula");
  header.append(element("h3", "", `${index + 1} · ${card.title}`), formula);
  if (card.id === "scale") header.append(linkTo(data.strings.whyLink, data.strings.why));
  const notes = element("div", "notes");
  const problem = element("div", "problem");
  problem.setAttribute("role", "alert");
  root.append(header, notes, problem);
  const given = card.lines.filter((line) => line.kind === "given");
  if (given.length)
    root.append(
      rowOf(
        "given",
        given.map((line) => matrix(line.items[0], line)),
      ),
    );
  for (const line of card.lines)
    if (line.kind !== "given") root.append(layOut(line, data, (name) => matrix(name, line)));
  const spelled = element("div", "spelled");
  root.append(spelled);
  const written = ""; // the formula that is drawn
  return { root, formula, written, notes, problem, spelled, card, tables };
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
