// A calculation step by step: matrices, and for the chosen cell of each the arithmetic that gave it.
// Every number comes from the server (but see spell.js); here they are only written out. Names of
// tokens only ever become textContent.

import { colourOf, hueOn } from "../common/contrast.js";
import { formula } from "../common/formula.js";
import { mount } from "../common/mount.js";
import { onPlay } from "../common/playing.js";
import { roving } from "../common/roving.js";
import { roomBelow } from "../common/stage.js";
import { goal, madeOf, origin } from "./follow.js";
import { buildNav } from "./nav.js";
import { sectionOf } from "./sections.js";
import { spell } from "./spell.js";
import { fill } from "./table.js";
import { Unheard } from "./unheard.js";

const BY_QUERY = ["pair", "context", "concatenated", "project_O"]; // families that share their row
const SHADED = /(^|_)weights$/; // those of a whole layer and the wrong ones, too

class Steps {
  constructor(root, signal) {
    this.root = root;
    this.nav = root.querySelector("nav");
    this.cards = root.querySelector(".cards");
    this.above = root.querySelector(".problem");
    this.chosen = {}; // family of lines -> [row, column]
    this.last = ""; // the family that was chosen last
    this.only = "";
    this.unheard = new Unheard();
    this.settle = roving(this.nav, () => [...this.nav.children]);
    window.addEventListener("headlight-present", () => this.present(), { signal });
    window.addEventListener("headlight-walk", (event) => this.walk(event), { signal });
    onPlay(() => this.step(1), signal);
  }

  receive({ data, setTriggerValue }) {
    this.send = setTriggerValue;
    this.unheard.forget(data.heard);
    this.root.style.setProperty("--hue", data.hue);
    this.source = data.source;
    this.root.classList.toggle("waiting", Boolean(data.waiting));
    this.sayProblem(data.problem);
    if (data.waiting) return; // the last good steps keep their place, without their numbers
    const first = !this.data;
    this.data = data;
    this.staged = roomBelow(this.root) !== undefined;
    if (first || sign(data.look) !== this.look) {
      // A link, Back or a preset says what to look at; a click said so itself.
      const { card, family, row, column } = data.look;
      this.look = sign(data.look);
      this.only = card;
      this.chosen = {};
      this.last = "";
      if (family) this.choose(family, row, column);
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
    const [row, column] = this.chosen[this.last] ?? [0, 0];
    const look = { card: this.only, family: this.last, row, column };
    this.look = sign(look);
    this.unheard.looked(look);
    this.send("acted", this.unheard.message());
  }

  choose(family, row, column) {
    this.last = family;
    this.chosen[family] = [row, column];
    if (BY_QUERY.includes(family))
      for (const other of BY_QUERY) this.chosen[other] = [row, this.chosen[other]?.[1] ?? 0];
  }

  // -- on a projector --------------------------------------------------------------------------

  // One step fills the screen; of all of them, the first.
  get open() {
    return this.only || (this.staged ? this.data.cards[0].id : "");
  }

  present() {
    const staged = roomBelow(this.root) !== undefined;
    if (!this.data || staged === Boolean(this.staged)) return;
    this.staged = staged;
    this.draw();
  }

  walk(event) {
    const { across } = event.detail;
    if (event.defaultPrevented || !across || !this.staged) return;
    event.preventDefault();
    this.step(across);
  }

  // Behind the last step comes the first.
  step(by) {
    const ids = this.data.cards.map((card) => card.id);
    this.only = ids[(ids.indexOf(this.open) + by + ids.length) % ids.length];
    this.draw();
    this.looked();
    window.dispatchEvent(new Event("headlight-stage"));
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
        m.rows.length,
        m.columns.length,
        m.shownRows,
        m.shownColumns,
        m.moreRows,
        m.moreColumns,
        m.symbol,
      ]),
    ]);
    if (shape !== this.shape) {
      this.shape = shape;
      this.sections = cards.map((card, index) =>
        sectionOf(this.data, card, index, (...cell) => this.act(...cell)),
      );
      this.tables = this.sections.flatMap((section) => section.tables);
      this.keepingFocus(() =>
        this.cards.replaceChildren(...this.sections.map((section) => section.root)),
      );
    }
    if (!cards.some((card) => card.id === this.only)) this.only = "";
    const { open } = this;
    this.root.classList.toggle("staged", Boolean(this.staged));
    const source = hueOn(colourOf(this.source).rgb, this.root);
    this.root.style.setProperty("--source", `rgb(${source.join(", ")})`);
    this.drawNav();
    cards.forEach((card, index) => {
      const section = this.sections[index];
      section.root.hidden = Boolean(open) && card.id !== open;
      if (section.written !== card.formula) {
        section.written = card.formula;
        section.formula.replaceChildren(formula(card.formula));
      }
      const hint = card.id === "mask" && this.data.toggles ? [this.data.strings.toggle] : [];
      section.notes.textContent = [...card.notes, ...hint].join(" ");
    });
    for (const { name, cells, label } of this.tables) {
      label(matrices[name]);
      fill(cells, matrices[name], this.data.decimals, SHADED.test(name));
    }
    this.sayProblem(this.problem);
    this.light();
  }

  drawNav() {
    const { cards, strings } = this.data;
    const titles = JSON.stringify([cards.map((card) => [card.id, card.title]), strings]);
    if (titles !== this.titles) {
      this.titles = titles;
      this.keepingFocus(() => {
        this.press = buildNav(this.nav, cards, strings, (id) => {
          this.only = id;
          this.draw();
          this.looked();
        });
        this.settle();
      });
    }
    this.press(this.open);
  }

  // Build something anew; what has the keyboard in it keeps it, where it is built again.
  keepingFocus(rebuild) {
    const nameOf = (element) => {
      const table = element?.closest("table");
      if (!table) return element?.closest("nav") && element.textContent;
      const card = table.closest("section").dataset.card;
      return [card, table.dataset.matrix, element.parentElement.rowIndex, element.cellIndex].join();
    };
    const name = nameOf(this.root.getRootNode().activeElement);
    rebuild();
    if (!name) return;
    const all = [...this.root.querySelectorAll("nav button, td[tabindex]")];
    all.find((element) => nameOf(element) === name)?.focus();
  }

  // -- choosing a cell -------------------------------------------------------------------------

  act(name, row, column, where) {
    if (name === "allowed" && this.data.toggles) this.toggle(row, column);
    else this.click(name, row, column, where);
  }

  toggle(query, key) {
    const allowed = Boolean(this.data.matrices.allowed.values[query][key]);
    this.unheard.toggled(query + this.data.offset, key, allowed);
    this.send("acted", this.unheard.message());
  }

  // A cell is spelled out where it was worked out; an operand's, in the step it came from. A whole
  // layer's weights came from nowhere: their cells show what they go into.
  click(name, row, column, where) {
    const [line, i, j] = origin(this.data, name, row, column, this.chosen.pair?.[1] ?? 0);
    const into = !line && this.data.spelled?.[where.items.at(-1)];
    const cell = into ? goal(this.data, where, name, column) : line && [i, j];
    if (!cell) return;
    this.choose((line ?? where).family, ...cell);
    this.light();
    this.looked();
  }

  light() {
    for (const { line, name, cells } of this.tables) {
      const chosen = this.place(line);
      const lit = chosen && madeOf(this.data, line, name, ...chosen);
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
        return chosen ? spell(this.data, line, ...chosen) : [];
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
}

// Two looks are the same if these are.
function sign({ card, family, row, column }) {
  return [card, family, row, column].join();
}

/**
 * @param {Component<any>} component
 * @returns {() => void}
 */
export default function (component) {
  return mount(component, ".steps", Steps);
}
