// A step as it is built: its heading, its lines of matrices, and places for what is said there.

import { build, tableOf } from "./table.js";

// What a wide step draws anew: the step before has just shown the rest.
const NEWS = {
  divide: (items, known) => items.slice(2).filter(known), // the bias, if there is one, and the result
  mask: () => ["allowed", "masked_scores"],
  softmax: () => ["exponentials", "row_sums", "weights"],
};

// The section of a card, and its tables; `act` is told of which matrix which cell is clicked.
export function sectionOf(data, card, index, act) {
  const tables = [];
  const matrix = (name, line) => {
    const { box, cells } = tableOf(name, data.matrices[name], (i, j) => act(name, i, j));
    tables.push({ name, line, cells });
    return box;
  };
  const root = document.createElement("section");
  root.dataset.card = card.id;
  if (card.id === "mistake") root.className = "mistake";
  const header = document.createElement("header");
  const formula = build("div", "formula");
  header.append(build("h3", "", `${index + 1} · ${card.title}`), formula);
  const notes = build("div", "notes");
  const problem = build("div", "problem");
  problem.setAttribute("role", "alert");
  root.append(header, notes, problem);
  const given = card.lines.filter((line) => line.kind === "given");
  if (given.length) root.append(row("given", ...given.map((line) => matrix(line.items[0], line))));
  for (const line of card.lines)
    if (line.kind !== "given") root.append(lineOf(data, line, (name) => matrix(name, line)));
  const spelled = build("div", "spelled");
  root.append(spelled);
  return { root, formula, notes, problem, spelled, card, tables };
}

// Where the matrices are wide, a product is laid out as on paper (the right factor above the
// result, the left one beside it), and what the step before has just shown is not drawn again.
function lineOf(data, { items, kind }, matrix) {
  const known = (item) => item in data.matrices;
  if (!data.wide)
    return row(
      kind,
      ...items.map((item) => (known(item) ? matrix(item) : build("span", "operator", item))),
    );
  if (kind === "product")
    return row(
      "corner",
      build("span", "operator"),
      matrix(items[2]),
      matrix(items[0]),
      matrix(items[4]),
    );
  const whole = items.includes("source") || !NEWS[kind];
  return row(kind, ...(whole ? items.filter(known) : NEWS[kind](items, known)).map(matrix));
}

function row(kind, ...parts) {
  const line = build("div", `line ${kind}`);
  line.append(...parts);
  return line;
}
