// A calculation step by step: matrices, and for the chosen cell of each the arithmetic that gave it.
// Every number comes from the server; here they are only written out. Names of tokens only ever
// become textContent.

import { formula } from "../common/formula.js";
import { mount } from "../common/mount.js";

const LONGEST = 12; // terms of a sum that are written out; the rest is said as one number

function say(value, decimals) {
  if (value === "-inf") return "−∞";
  if (typeof value === "string") return value;
  const text = Math.abs(value) >= 1e7 ? value.toExponential(decimals) : value.toFixed(decimals);
  return (Number(text) === 0 ? text.replace("-", "") : text).replace("-", "−");
}

class Steps {
  constructor(root) {
    this.root = root;
    this.nav = root.querySelector("nav");
    this.cards = root.querySelector(".cards");
    this.above = root.querySelector(".problem");
    this.chosen = {}; // family of lines -> [row, column]
    this.only = "";
  }

  receive({ data, setTriggerValue }) {
    this.send = setTriggerValue;
    this.root.style.setProperty("--hue", data.hue);
    this.root.style.setProperty("--source", data.source);
    this.root.classList.toggle("waiting", Boolean(data.waiting));
    this.sayProblem(data.problem);
    if (data.waiting) return; // the last good steps keep their place, without their numbers
    const first = !this.data;
    this.data = data;
    if (first || data.view !== this.view) {
      this.view = data.view; // a link, Back or a preset says what to look at; a click said so itself
      this.only = data.view.split("|")[0];
      this.chosen = {};
      const cell = data.view.split("|")[1];
      if (cell) this.choose(...cell.split(".").map((part, i) => (i ? Number(part) : part)));
    }
    this.draw();
  }

  // What is in the way is said in the step where it happens, if that step is drawn.
  sayProblem(problem) {
    this.problem = problem;
    const text = problem?.text ?? "";
    const section = this.sections?.find((part) => part.card.id === problem?.card);
    this.above.textContent = section ? "" : text;
    for (const part of this.sections ?? []) part.problem.textContent = part === section ? text : "";
  }

  looked() {
    const cell = this.last ? `${this.last}.${this.chosen[this.last].join(".")}` : "";
    this.view = `${this.only}|${cell}`;
    this.send("looked", { view: this.view });
  }

  choose(family, row, column) {
    this.last = family;
    this.chosen[family] = [row, column];
    const byQuery = ["pair", "output", "joined", "Y"];
    if (byQuery.includes(family))
      for (const other of byQuery) this.chosen[other] = [row, this.chosen[other]?.[1] ?? 0];
  }

  say(value) {
    return say(value, this.data.decimals);
  }

  factor(value) {
    const text = this.say(value);
    return text.startsWith("−") && text !== "−∞" ? `(${text})` : text;
  }

  // -- drawing ---------------------------------------------------------------------------------

  draw() {
    const { cards, matrices } = this.data;
    this.root.classList.toggle("wide", this.data.wide);
    const shape = JSON.stringify([
      this.data.wide,
      cards.map((card) => [card.id, card.title, card.lines]),
      Object.entries(matrices).map(([name, m]) => [
        name,
        m.rows,
        m.columns,
        m.shownRows,
        m.shownColumns,
        m.symbol,
      ]),
    ]);
    if (shape !== this.shape) {
      this.shape = shape;
      this.tables = [];
      this.sections = cards.map((card, index) => this.section(card, index));
      this.cards.replaceChildren(...this.sections.map((section) => section.root));
    }
    if (!cards.some((card) => card.id === this.only)) this.only = "";
    this.drawNav();
    cards.forEach((card, index) => {
      const section = this.sections[index];
      section.root.hidden = Boolean(this.only) && card.id !== this.only;
      if (section.written !== card.formula) {
        section.written = card.formula;
        section.formula.replaceChildren(formula(card.formula));
      }
      const hint = card.id === "mask" && this.data.toggles ? [this.data.strings.toggle] : [];
      section.notes.textContent = [...card.notes, ...hint].join(" ");
    });
    for (const table of this.tables) this.fill(table);
    this.sayProblem(this.problem);
    this.light();
  }

  drawNav() {
    const { cards, strings } = this.data;
    const at = cards.findIndex((card) => card.id === this.only);
    const button = (text, id, label) => {
      const part = document.createElement("button");
      part.type = "button";
      part.textContent = text;
      if (label) part.setAttribute("aria-label", label);
      else part.setAttribute("aria-pressed", String(this.only === id));
      part.disabled = id === undefined;
      part.onclick = () => {
        this.only = id;
        this.draw();
        this.looked();
      };
      return part;
    };
    this.nav.replaceChildren(
      button(strings.all, ""),
      button("◀", at > 0 ? cards[at - 1].id : undefined, strings.back),
      ...cards.map((card, index) => button(`${index + 1} ${card.title}`, card.id)),
      button("▶", at + 1 < cards.length ? cards[at + 1].id : undefined, strings.next),
    );
  }

  section(card, index) {
    const root = document.createElement("section");
    root.dataset.card = card.id;
    if (card.id === "mistake") root.className = "mistake";
    const header = document.createElement("header");
    const title = document.createElement("h3");
    title.textContent = `${index + 1} · ${card.title}`;
    const formula = document.createElement("div");
    formula.className = "formula";
    header.append(title, formula);
    const notes = document.createElement("div");
    notes.className = "notes";
    const problem = document.createElement("div");
    problem.className = "problem";
    problem.setAttribute("role", "alert");
    root.append(header, notes, problem);
    const given = card.lines.filter((line) => line.kind === "given");
    if (given.length)
      root.append(
        this.row(
          "given",
          given.map((line) => this.matrix(line.items[0], line)),
        ),
      );
    for (const line of card.lines) if (line.kind !== "given") root.append(this.line(line));
    const spelled = document.createElement("div");
    spelled.className = "spelled";
    root.append(spelled);
    return { root, formula, notes, problem, spelled, card };
  }

  row(kind, parts) {
    const row = document.createElement("div");
    row.className = `line ${kind}`;
    row.append(...parts);
    return row;
  }

  // Where the matrices are wide, a product is laid out as on paper (the right factor above the
  // result, the left one beside it), and what the step before has just shown is not drawn again.
  line(line) {
    const known = (item) => item in this.data.matrices;
    const matrix = (item) => this.matrix(item, line);
    const { items, kind } = line;
    if (!this.data.wide)
      return this.row(
        kind,
        items.map((item) => (known(item) ? matrix(item) : operator(item))),
      );
    if (kind === "product")
      return this.row("corner", [
        operator(""),
        matrix(items[2]),
        matrix(items[0]),
        matrix(items[4]),
      ]);
    const news = {
      divide: [items.at(-1)],
      mask: ["allowed", "masked"],
      softmax: ["exponentials", "row_sums", "weights"],
    };
    const drawn = () =>
      items.includes("source") || !news[kind] ? items.filter(known) : news[kind];
    return this.row(kind, drawn().map(matrix));
  }

  matrix(name, line) {
    const matrix = this.data.matrices[name];
    const box = document.createElement("div");
    box.className = "matrix";
    const title = document.createElement("div");
    title.className = "name";
    title.append(formula(matrix.symbol));
    const scroll = document.createElement("div");
    scroll.className = "scroll";
    const table = document.createElement("table");
    table.dataset.matrix = name;
    table.setAttribute("aria-label", matrix.label);
    scroll.append(table);
    box.append(title, scroll);
    const [left, right] = matrix.shownColumns;
    const top = table.insertRow();
    for (const text of ["", ...matrix.columns.slice(left, right)]) top.append(heading(text));
    const moreColumns = matrix.moreColumns + matrix.columns.length - (right - left);
    if (moreColumns) top.append(heading(`… ${moreColumns}`));
    const cells = [];
    for (let i = matrix.shownRows[0]; i < matrix.shownRows[1]; i++) {
      const row = table.insertRow();
      row.append(heading(matrix.rows[i]));
      for (let j = left; j < right; j++) cells.push(this.cell(row, name, line, i, j));
      if (moreColumns) more(row);
    }
    const moreRows =
      matrix.moreRows + matrix.rows.length - (matrix.shownRows[1] - matrix.shownRows[0]);
    if (moreRows) {
      const row = table.insertRow();
      row.append(heading(`… ${moreRows}`));
      for (let j = left; j < right + Boolean(moreColumns); j++) more(row);
    }
    this.tables.push({ name, line, cells, table });
    return box;
  }

  cell(row, name, line, i, j) {
    const cell = row.insertCell();
    cell.tabIndex =
      i === this.data.matrices[name].shownRows[0] && j === this.data.matrices[name].shownColumns[0]
        ? 0
        : -1;
    const act = () =>
      name === "allowed" && this.data.toggles ? this.toggle(i, j) : this.click(name, i, j);
    cell.onclick = act;
    cell.onkeydown = (event) => {
      const [down, across] = {
        ArrowDown: [1, 0],
        ArrowUp: [-1, 0],
        ArrowLeft: [0, -1],
        ArrowRight: [0, 1],
      }[event.key] ?? [0, 0];
      if (event.key === "Enter" || event.key === " ") act();
      else if (down || across) {
        const table = cell.closest("table");
        const next = table.rows[cell.parentElement.rowIndex + down]?.cells[cell.cellIndex + across];
        if (next?.tagName === "TD") next.focus();
      } else return;
      event.preventDefault();
    };
    return { element: cell, i, j };
  }

  fill({ name, cells }) {
    const { values, boolean } = this.data.matrices[name];
    const shaded = ["weights", "wrong"].includes(name);
    for (const cell of cells) {
      const { element, i, j } = cell;
      const value = values[i][j];
      if (cell.value === value && cell.decimals === this.data.decimals) continue; // as it stands
      Object.assign(cell, { value, decimals: this.data.decimals });
      element.textContent = boolean ? (value ? "✓" : "✗") : this.say(value);
      element.title = boolean ? "" : String(value).replace("-inf", "−∞");
      if (boolean) {
        element.classList.add("toggle");
        element.classList.toggle("no", !value);
      }
      if (shaded)
        element.style.setProperty(
          "--share",
          typeof value === "number" ? Math.min(value, 1) * 0.75 : 0,
        );
    }
  }

  // -- choosing a cell -------------------------------------------------------------------------

  toggle(query, key) {
    this.send("toggled", { query: query + this.data.offset, key });
  }

  // A cell is spelled out where it was worked out; an operand's, in the step it came from.
  click(name, row, column) {
    const [line, i, j] = this.origin(name, row, column);
    if (!line) return;
    this.choose(line.family, i, j);
    this.light();
    this.looked();
  }

  // The line that worked a cell out, and the cell's place in that line's result.
  origin(name, row, column) {
    const lines = this.data.cards.flatMap((card) => card.lines);
    const making = (result) => lines.find((line) => line.items.at(-1) === result);
    if (name === "K_T") return this.origin("K", column, row);
    if (["maxima", "exponentials", "row_sums"].includes(name)) {
      const shown = name === "exponentials" ? column : (this.chosen.pair?.[1] ?? 0);
      return [making("weights"), row, shown];
    }
    if (name === "factor") return [making("wrong"), row, column];
    if (name === "source") {
      const line = making("wrong"); // down a column, the source holds the queries not drawn too
      return [line, line.kind === "softmax_columns" ? row - this.data.offset : row, column];
    }
    if (name === "allowed") return [making("masked"), row, column];
    const whole = { Q: "Q_heads", K: "K_heads", V: "V_heads" }[name];
    if (whole && making(whole))
      return [
        making(whole),
        row,
        column + this.data.head * this.data.matrices[name].values[0].length,
      ];
    return [making(name), row, column];
  }

  light() {
    for (const { line, name, cells } of this.tables) {
      const chosen = this.place(line);
      const lit = chosen && this.lit(line, name, ...chosen);
      for (const cell of cells) {
        const { element, i, j } = cell;
        const result = name === line.items.at(-1);
        const on = lit && (lit[0] === null || lit[0] === i) && (lit[1] === null || lit[1] === j);
        const mark = on ? (result ? "chosen" : "lit") : "";
        if (cell.mark === mark) continue;
        cell.mark = mark;
        element.classList.toggle("lit", mark === "lit");
        element.classList.toggle("chosen", mark === "chosen");
      }
    }
    for (const section of this.sections) {
      const rows = section.card.lines.flatMap((line) => {
        const chosen = this.place(line);
        return chosen ? this.spell(line, ...chosen) : [];
      });
      section.spelled.replaceChildren(...rows);
    }
  }

  // The chosen cell of a line, kept inside what its result has now.
  place(line) {
    const result = this.data.matrices[line.items.at(-1)];
    const [low, high] = result.shownColumns;
    const [row, column] = this.chosen[line.family] ?? [0, low];
    if (result.shownRows[1] === 0 || high === 0) return null;
    return [
      Math.min(row, result.shownRows[1] - 1),
      Math.min(Math.max(column, 0), result.columns.length - 1),
    ];
  }

  // Which row and column of an operand make cell (row, column) of the line's result; null: all.
  lit(line, name, row, column) {
    const [left, , right] = line.items;
    if (name === line.items.at(-1)) return [row, column];
    if (line.kind === "product")
      return name === left ? [row, null] : name === right ? [null, column] : null;
    if (line.kind === "softmax_columns") return [null, column];
    if (line.kind === "join") {
      const own = column - this.data.head * this.data.matrices.output.columns.length;
      return [row, own];
    }
    if (name === "maxima" || name === "row_sums") return [row, 0];
    return line.kind === "softmax" ? [row, null] : [row, column];
  }

  // -- arithmetic ------------------------------------------------------------------------------

  spell(line, row, column) {
    const result = this.data.matrices[line.items.at(-1)];
    const value = (name) => this.data.matrices[name].values[row]?.[column];
    const [left, , right] = line.items;
    const is = `= ${this.say(result.values[row][column])}`;
    const begin = [formula(result.symbol), `[${result.rows[row]}, ${result.columns[column]}]`];
    const { strings } = this.data;
    switch (line.kind) {
      case "product":
        return [written(begin, `= ${this.products(left, right, row, column)} ${is}`)];
      case "divide":
        return [
          written(begin, `= ${this.say(value(left))} ÷ ${this.say(this.data.divisor)} ${is}`),
        ];
      case "mask":
        return [
          written(begin, value("allowed") ? `${is} ${strings.allowed}` : `${is} ${strings.hidden}`),
        ];
      case "times":
        return [written(begin, `= ${this.say(value(left))} × ${this.say(value(right))} ${is}`)];
      case "softmax":
      case "softmax_columns":
        return this.spellSoftmax(line, row, column, begin);
      case "join":
        return [written(begin, is)];
      default:
        return [written(begin, `${is}  ${strings.given}`)];
    }
  }

  products(left, right, row, column) {
    const a = this.data.matrices[left].values[row];
    const b = this.data.matrices[right].values.map((line) => line[column]);
    const terms = a.map((x, k) => ({
      text: `${this.factor(x)} × ${this.factor(b[k])}`,
      product: x * b[k],
      k,
    }));
    return this.sum(terms);
  }

  // The largest terms of a long sum, in their order, and the rest as one number.
  sum(terms) {
    if (terms.length <= LONGEST) return terms.map((term) => term.text).join(" + ");
    const kept = [...terms]
      .sort((a, b) => Math.abs(b.product) - Math.abs(a.product))
      .slice(0, LONGEST - 2);
    const rest = terms.filter((term) => !kept.includes(term));
    const remainder = this.say(rest.reduce((total, term) => total + term.product, 0));
    const said = this.data.strings.rest.replace("{count}", rest.length).replace("{sum}", remainder);
    return `${kept
      .sort((a, b) => a.k - b.k)
      .map((term) => term.text)
      .join(" + ")} + ${said}`;
  }

  spellSoftmax(line, row, column, begin) {
    const { matrices, strings } = this.data;
    const values = matrices[line.items[0]].values;
    const byColumn = line.kind === "softmax_columns";
    const scores = (byColumn ? values.map((other) => other[column]) : values[row]).map((x) =>
      x === "-inf" ? -Infinity : x,
    );
    const largest = Math.max(...scores);
    const result = this.say(matrices[line.items.at(-1)].values[row][column]);
    if (largest === -Infinity) return [written(begin, `= ${result}  ${strings.nothing}`)];
    const exponentials = scores.map((x) => Math.exp(x - largest));
    // Down a column, all queries are summed over, those that are not drawn among them.
    const own = byColumn ? row + this.data.offset : column;
    const power =
      scores[own] === -Infinity
        ? "e^(−∞)"
        : `e^(${this.say(scores[own])} − ${this.factor(largest)})`;
    const terms = exponentials.map((x, k) => ({ text: this.say(x), product: x, k }));
    const total = exponentials.reduce((sum, x) => sum + x, 0);
    return [
      written([], `${power} = ${this.say(exponentials[own])}`),
      written(
        [],
        `${byColumn ? strings.columnSum : strings.rowSum} = ${this.sum(terms)} = ${this.say(total)}`,
      ),
      written(begin, `= ${this.say(exponentials[own])} ÷ ${this.say(total)} = ${result}`),
    ];
  }
}

function written(begin, text) {
  const row = document.createElement("div");
  row.append(...begin, ` ${text}`);
  return row;
}

function operator(text) {
  const part = document.createElement("span");
  part.className = "operator";
  part.textContent = text;
  return part;
}

function heading(text) {
  const cell = document.createElement("th");
  cell.textContent = text;
  cell.title = text;
  return cell;
}

function more(row) {
  const cell = row.insertCell();
  cell.className = "more";
  cell.textContent = "…";
}

/**
 * @param {Component<any>} component
 * @returns {() => void}
 */
export default function (component) {
  return mount(component, ".steps", Steps);
}
