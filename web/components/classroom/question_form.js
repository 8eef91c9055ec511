// The teacher's form for a question about a view.

import { numberBox } from "./answer_inputs.js";
import { describeView } from "./api.js";
import { headName, parseNumber, range } from "./answers.js";
import { button, element, message } from "./dom.js";
import { canStore } from "./membership.js";
import { viewOf } from "./view_links.js";

/**
 * What can be asked about a view, as web/rooms/api/question_builder.py describes it.
 *
 * @typedef {object} ViewContent
 * @property {"left" | "right"} [side]
 * @property {Record<string, any>} [sides] model, tokens, layer, head and measures of each side;
 *   whether the page shows the mean over heads
 * @property {{ kind: string, prompt: string }} [lesson] the question of the lesson's step
 * @property {boolean} [next] whether a model continues a text
 * @property {{ kind: string, name: string }} [sketch] the mask or the alignment of the view
 * @property {number | null} [picked] the selected token
 * @property {string} [measure] that the page shows
 * @property {{ rows: number, columns: number }} [practice] size of the exercise's matrix
 */

export class QuestionForm {
  /**
   * @param {HTMLDialogElement} dialog
   * @param {((question: SavedQuestion) => Promise<string>) | null} ask returns the error in words,
   *   or ""; null outside a room
   * @param {(question: SavedQuestion) => void} save for later
   */
  constructor(dialog, ask, save) {
    this.dialog = dialog;
    this.view = "";
    this.content = /** @type {ViewContent} */ ({});
    this.promptEdited = false;
    /** The inputs of the chosen kind, by name. @type {Record<string, any>} */
    this.inputs = {};
    this.kind = select([], () => this.buildFields());
    this.fields = element("div.fields");
    this.prompt = element("textarea", { rows: 2, maxLength: 500 });
    this.prompt.oninput = () => (this.promptEdited = this.prompt.value !== "");
    this.reasons = element("input", { type: "checkbox" });
    this.error = element("p.error", { role: "alert" });
    /** @type {(act: (question: SavedQuestion) => Promise<string> | string) => () => void} */
    const submit = (act) => async () => {
      this.error.textContent = this.problem() || (await act(this.question()));
      if (!this.error.textContent) this.close();
    };
    const saveAnd = submit((question) => {
      if (!canStore()) return message("error_storage");
      save(question);
      return "";
    });
    this.link = element("input", { placeholder: "/?text=…", autocomplete: "off" });
    this.link.onchange = () => this.load(viewOfLink(this.link.value));
    dialog.ariaLabel = message("ask_title");
    dialog.className = "question-form form";
    dialog.replaceChildren(
      element("h2", message("ask_title")),
      labelled(message("kind"), this.kind),
      this.fields,
      labelled(message("prompt"), this.prompt),
      element("label.check", this.reasons, element("span", message("ask_reasons"))),
      labelled(message("link"), this.link),
      this.error,
      element(
        "div.foot",
        ask && button(message("ask_now"), submit(ask), { className: "main" }),
        button(message("keep"), saveAnd, ask ? {} : { className: "main" }),
        button(message("cancel"), () => this.close()),
      ),
    );
  }

  /**
   * @param {string} view
   * @param {SavedQuestion} [question] to edit
   */
  async open(view, question) {
    this.promptEdited = question !== undefined;
    this.prompt.value = question?.prompt ?? "";
    this.reasons.checked = question?.reasons === true;
    await this.load(view, question);
    this.dialog.showModal();
  }

  /** @param {string} view @param {SavedQuestion} [question] */
  async load(view, question) {
    this.view = this.link.value = view;
    this.content = await describeView(view);
    this.error.textContent = "";
    const { lesson, sketch } = this.content;
    const kinds = [
      ...(lesson ? ["lesson"] : []),
      ...(sketch ? [sketch.kind] : []),
      ...(this.content.next ? ["next"] : []),
      ...(this.sides().length ? ["token", "sketch", "head", "layer", "sentence"] : []),
      "choice",
      "number",
    ];
    setOptions(
      this.kind,
      kinds.map((kind) => [kind, message(`kind_${kind}`)]),
    );
    this.kind.value = question?.lesson
      ? "lesson"
      : (question?.kind ?? (this.content.practice ? "number" : kinds[0]));
    if (!this.kind.value) this.kind.value = kinds[0]; // the page no longer offers this kind
    this.buildFields();
    if (question) this.fill(question);
  }

  /** @param {SavedQuestion} question */
  fill({ options, right, ...values }) {
    if (this.inputs.side && values.side) {
      this.inputs.side.value = values.side;
      this.updateTokens();
    }
    if (this.inputs.measure) this.inputs.measure.value = values.measure ?? "";
    for (const name of ["query", "key", "value", "tolerance"])
      if (this.inputs[name] && values[name] !== undefined)
        this.inputs[name].value = String(values[name]);
    if (this.inputs.options) {
      const mark = (/** @type {string} */ each, /** @type {number} */ i) =>
        right?.includes(i) ? `*${each}` : each;
      this.inputs.options.value = (options ?? []).map(mark).join("\n");
    }
  }

  /** @returns {string} why the question cannot be asked, in words; "" if it can */
  problem() {
    const { options, value, tolerance } = this.question();
    if (!this.prompt.value.trim()) return message("no_prompt");
    if (options && options.length < 2) return message("no_options");
    const numbers = this.inputs.value ? [value, tolerance] : [];
    if (numbers.some((each) => each === undefined)) return message("number_bad");
    return tolerance < 0 ? message("no_tolerance") : "";
  }

  close() {
    this.dialog.close();
  }

  /** The sides of the view that have tokens. */
  sides() {
    return Object.entries(this.content.sides ?? {}).filter(([, { tokens }]) => tokens);
  }

  buildFields() {
    const kind = this.kind.value;
    const { practice } = this.content;
    this.inputs = {};
    this.fields.replaceChildren();
    if (["lesson", "next", "mask", "alignment"].includes(kind)) {
      // The view has everything.
    } else if (kind === "choice") {
      this.addField("options", message("options"), element("textarea", { rows: 4 }));
    } else if (kind !== "number") this.addTokenFields(kind);
    else if (practice) {
      this.addSelect("query", message("row"), indices(practice.rows));
      this.addSelect("key", message("column"), indices(practice.columns));
    } else {
      this.addNumber("value", message("value"));
      this.addNumber("tolerance", message("tolerance"), "0");
    }
    this.suggestPrompt();
  }

  /** @param {string} kind */
  addTokenFields(kind) {
    const sides = this.sides();
    const names = sides.map(([side, { model }]) => [side, message(`side_${side}`, { model })]);
    const side = select(names, () => this.updateTokens());
    this.addField("side", message("model"), side);
    const linked = sides.find(([each]) => each === this.content.side) ?? sides[0];
    side.value = linked[0];
    if (kind === "sentence") this.addSelect("measure", message("measured"));
    else this.addSelect("query", message("query"));
    if (kind === "head" || kind === "layer") this.addSelect("key", message("key"));
    this.updateTokens();
  }

  /** Offer the tokens, or the measures, of the chosen side. */
  updateTokens() {
    /** @type {{ tokens: string[], measures: string[] }} */
    const { tokens, measures } = this.chosenSide();
    const { measure } = this.inputs;
    if (measure) {
      const chosen = measure.options.length ? measure.value : (this.content.measure ?? "");
      const named = measures.map((each) => [each, message(`measure_${each}`)]);
      setOptions(measure, [["", message("measure_weight")], ...named]);
      measure.value = measures.includes(chosen) ? chosen : "";
    }
    // A causal mask lets every query but the first see key 1.
    const defaults = { query: this.content.picked ?? 2, key: 1 };
    for (const [name, index] of Object.entries(defaults)) {
      const input = this.inputs[name];
      if (!input) continue;
      const value = input.value || String(Math.min(index, tokens.length - 1));
      setOptions(
        input,
        tokens.map((token, i) => [String(i), token]),
      );
      input.value = value;
    }
    this.suggestPrompt();
  }

  chosenSide() {
    return this.content.sides?.[this.inputs.side.value];
  }

  /** Suggest a prompt, unless the teacher has typed one. */
  suggestPrompt() {
    if (this.promptEdited) return;
    if (this.kind.value === "lesson") {
      this.prompt.value = this.content.lesson?.prompt ?? "";
      return;
    }
    const { inputs } = this;
    const label = (/** @type {string} */ name) =>
      inputs[name]?.selectedOptions[0]?.textContent ?? "";
    const kind = this.kind.value;
    const { layer, head, mean } = inputs.side ? this.chosenSide() : { layer: 0, head: 0 };
    const about = kind === "number" && this.content.practice ? "cell" : kind;
    const ofMean = { token: "mean", sketch: "sketch_mean", sentence: "sentence_mean" }[kind];
    const measured = inputs.measure?.value && (mean ? "measure_mean" : "measure");
    this.prompt.value = message(`prompt_${measured || (mean && ofMean) || about}`, {
      measure: label("measure"),
      query: label("query"),
      key: label("key"),
      head: headName(layer, head),
      layer: `L${layer}`,
      mask: this.content.sketch?.name ?? "",
    });
  }

  /** @returns {SavedQuestion} the question as the server accepts it */
  question() {
    const { side, measure, query, key, value, tolerance, options } = this.inputs;
    return {
      ...(this.kind.value === "lesson"
        ? { kind: this.content.lesson?.kind ?? "", lesson: true }
        : { kind: this.kind.value }),
      prompt: this.prompt.value.trim(),
      view: this.view,
      ...(this.reasons.checked && { reasons: true }),
      ...(side && { side: side.value }),
      ...(measure?.value && { measure: measure.value }),
      ...(query && { query: Number(query.value) }),
      ...(key && { key: Number(key.value) }),
      ...(value && { value: parseNumber(value.value).value }),
      ...(tolerance && { tolerance: parseNumber(tolerance.value).value }),
      ...(options && parseOptions(options.value)),
    };
  }

  /**
   * @param {string} name
   * @param {string} label
   * @param {string[][]} [options] values and labels
   */
  addSelect(name, label, options = []) {
    this.addField(
      name,
      label,
      select(options, () => this.suggestPrompt()),
    );
  }

  /** @param {string} name @param {string} label */
  addNumber(name, label, value = "") {
    const { box, problem } = numberBox(value);
    this.addField(name, label, box, problem);
  }

  /** @param {string} name @param {string} label @param {HTMLElement} input @param {Node[]} more */
  addField(name, label, input, ...more) {
    this.inputs[name] = input;
    this.fields.append(labelled(label, input, ...more));
  }
}

/**
 * @param {string} text one option a line; "*" marks a right one
 * @returns {{ options: string[], right: number[] }}
 */
export function parseOptions(text) {
  const lines = text.split("\n").map((line) => line.trim());
  const marked = lines.filter((line) => line.replace(/^\*/, "").trim());
  return {
    options: marked.map((line) => line.replace(/^\*/, "").trim()),
    right: marked.flatMap((line, i) => (line.startsWith("*") ? [i] : [])),
  };
}

/**
 * @param {string} text a pasted link or path
 * @returns {string} the path with its query on this site; "/" for anything else
 */
function viewOfLink(text) {
  try {
    const { origin, pathname, search } = new URL(text.trim(), window.location.origin);
    return origin === window.location.origin ? viewOf(pathname + search) : "/";
  } catch {
    return "/";
  }
}

/** @param {string} text @param {Node[]} parts */
function labelled(text, ...parts) {
  return element("label", element("span", text), parts);
}

/** @param {number} count */
function indices(count) {
  return range(count).map((i) => [String(i), String(i)]);
}

/**
 * @param {string[][]} options values and labels
 * @param {() => void} onchange
 * @returns {HTMLSelectElement}
 */
function select(options, onchange) {
  const created = element("select", { onchange });
  setOptions(created, options);
  return created;
}

/**
 * @param {HTMLSelectElement} target
 * @param {string[][]} options values and labels
 */
function setOptions(target, options) {
  target.replaceChildren(...options.map(([value, label]) => element("option", { value }, label)));
}
