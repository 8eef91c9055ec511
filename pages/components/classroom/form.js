// The teacher's form: a question about the view that is on the screen.

import { headName, make, pressed, say } from "./bits.js";
import { numberIn } from "./choices.js";

/**
 * @typedef {object} FormActs
 * @property {(question: any) => Promise<string>} ask says what went wrong, or ""
 * @property {(question: any) => void} keep for later
 */

export class AskingForm {
  /**
   * @param {HTMLDialogElement} dialog
   * @param {Record<string, string>} words
   * @param {FormActs} acts
   */
  constructor(dialog, words, acts) {
    this.dialog = dialog;
    this.words = words;
    this.acts = acts;
  }

  /**
   * @param {string} view
   * @param {any} about what can be asked of it: pages/classroom/truth.py
   */
  open(view, about) {
    this.view = view;
    this.about = about;
    this.touched = false;
    const { words } = this;
    const kinds = [];
    if (this.sides().length) kinds.push("token", "head", "layer");
    kinds.push("choice", "number");
    this.kind = box(
      kinds.map((kind) => [kind, words[`kind_${kind}`]]),
      () => this.build(),
    );
    this.fields = make("div", { className: "fields" });
    this.prompt = make("textarea", { rows: 2, maxLength: 500 });
    this.prompt.oninput = () => (this.touched = this.prompt.value !== "");
    this.error = make("p", { className: "error", role: "alert" });
    this.dialog.ariaLabel = words.ask_title;
    this.dialog.className = "asking form";
    this.dialog.replaceChildren(
      make("h2", {}, words.ask_title),
      labelled(words.kind, this.kind),
      this.fields,
      labelled(words.prompt, this.prompt),
      this.error,
      make(
        "div",
        { className: "foot" },
        pressed(words.ask_now, () => this.ask(), { className: "main" }),
        pressed(words.keep, () => this.keep()),
        pressed(words.cancel, () => this.dialog.close()),
      ),
    );
    this.kind.value = about.practice ? "number" : kinds[0];
    this.build();
    this.dialog.showModal();
  }

  /** @returns {[string, any][]} each side that can be asked about, and what it shows */
  sides() {
    return Object.entries(this.about.sides ?? {}).filter(([, side]) => side.tokens);
  }

  /** The fields that the kind asks for. */
  build() {
    const { words, fields } = this;
    const kind = this.kind.value;
    this.parts = {};
    fields.replaceChildren();
    if (kind === "choice") this.field("options", words.options, make("textarea", { rows: 4 }));
    else if (kind !== "number") this.ofView(kind);
    else if (this.about.practice) this.ofPractice();
    else {
      this.field("value", words.value, make("input", { inputMode: "decimal" }));
      this.field("tolerance", words.tolerance, make("input", { inputMode: "decimal", value: "0" }));
    }
    this.suggest();
  }

  /** @param {string} kind */
  ofView(kind) {
    const { words } = this;
    const sides = this.sides();
    const named = sides.map(([side, { model }]) => [side, say(words[side], { model })]);
    const side = this.field(
      "side",
      words.model,
      box(named, () => this.tokensOf(kind)),
    );
    side.value = this.about.side in Object.fromEntries(sides) ? this.about.side : sides[0][0];
    this.field(
      "query",
      words.query,
      box([], () => this.suggest()),
    );
    if (kind !== "token")
      this.field(
        "key",
        words.key,
        box([], () => this.suggest()),
      );
    this.tokensOf(kind);
  }

  /** @param {string} kind */
  tokensOf(kind) {
    const { tokens } = this.side();
    const options = tokens.map((token, i) => [String(i), token]);
    for (const name of kind === "token" ? ["query"] : ["query", "key"]) {
      // A key that a decoder's mask lets the query see.
      const first = name === "key" ? 1 : (this.about.picked ?? 2);
      const before = this.parts[name].value || String(Math.min(first, tokens.length - 1));
      fill(this.parts[name], options);
      this.parts[name].value = before;
    }
    this.suggest();
  }

  ofPractice() {
    const { rows, columns } = this.about.practice;
    const counted = (count) => Array.from({ length: count }, (_each, i) => [String(i), String(i)]);
    this.field(
      "query",
      this.words.row,
      box(counted(rows), () => this.suggest()),
    );
    this.field(
      "key",
      this.words.column,
      box(counted(columns), () => this.suggest()),
    );
  }

  side() {
    return this.about.sides[this.parts.side.value];
  }

  /** A prompt, unless the teacher has written one. */
  suggest() {
    if (this.touched) return;
    const { words, parts } = this;
    const kind = this.kind.value;
    const name = (part) => parts[part]?.selectedOptions[0]?.textContent ?? "";
    const { layer, head } = parts.side ? this.side() : {};
    const [query, key] = [name("query"), name("key")];
    const template =
      kind === "number" && this.about.practice ? words.prompt_cell : words[`prompt_${kind}`];
    this.prompt.value = say(template, { query, key, head: headName(layer, head) });
  }

  /** @returns {any} the question, as the server takes it */
  question() {
    const { parts } = this;
    const kind = this.kind.value;
    const asked = { kind, prompt: this.prompt.value.trim(), view: this.view };
    if (parts.side) asked["side"] = parts.side.value;
    for (const name of ["query", "key"]) if (parts[name]) asked[name] = Number(parts[name].value);
    for (const name of ["value", "tolerance"])
      if (parts[name]) asked[name] = numberIn(parts[name].value);
    if (parts.options) Object.assign(asked, optionsIn(parts.options.value));
    return asked;
  }

  async ask() {
    this.error.textContent = await this.acts.ask(this.question());
    if (!this.error.textContent) this.dialog.close();
  }

  keep() {
    this.acts.keep(this.question());
    this.dialog.close();
  }

  /**
   * @param {string} name
   * @param {string} label
   * @param {any} element
   */
  field(name, label, element) {
    this.parts[name] = element;
    this.fields.append(labelled(label, element));
    return element;
  }
}

/**
 * @param {string} text an option a line; those that are right begin with *
 * @returns {{ options: string[], right: number[] }}
 */
export function optionsIn(text) {
  const lines = text.split("\n").map((line) => line.trim());
  const options = lines.filter((line) => line.replace(/^\*/, "").trim());
  return {
    options: options.map((line) => line.replace(/^\*/, "").trim()),
    right: options.flatMap((line, i) => (line.startsWith("*") ? [i] : [])),
  };
}

/**
 * @param {string} text
 * @param {HTMLElement} element
 */
function labelled(text, element) {
  return make("label", {}, make("span", {}, text), element);
}

/**
 * @param {string[][]} options values and names
 * @param {() => void} onchange
 * @returns {HTMLSelectElement}
 */
function box(options, onchange) {
  const select = make("select", { onchange });
  fill(select, options);
  return select;
}

/**
 * @param {HTMLSelectElement} select
 * @param {string[][]} options
 */
function fill(select, options) {
  select.replaceChildren(...options.map(([value, name]) => make("option", { value }, name)));
}
