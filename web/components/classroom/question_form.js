// The teacher's form for a question about a view.

import { describeView } from "./api.js";
import { rootPath } from "../common/navigation.js";
import { headName } from "../common/selection.js";
import { button, element, message } from "./dom.js";
import { canStore } from "./membership.js";
import { hidesSpecial, viewOf, withSpecialHidden } from "./view_links.js";

/**
 * What can be asked about a view, as rooms/api/question_builder.py describes it.
 *
 * @typedef {object} ViewContent
 * @property {"left" | "right"} [side]
 * @property {Record<string, any>} [sides] model, tokens, layer and head of each side; whether the page
 *   shows the mean over heads
 * @property {{ kind: string, prompt: string }} [lesson] the question of the lesson's step
 * @property {boolean} [next] whether a model continues a text
 * @property {number | null} [picked] the selected token
 */

export class QuestionForm {
  /**
   * @param {HTMLDialogElement} dialog
   * @param {((question: SavedQuestion, opened: string) => Promise<string>) | null} ask returns the
   *   error in words, or ""; `opened` is the view that the form was opened for; null outside a room
   * @param {(question: SavedQuestion) => void} save for later
   */
  constructor(dialog, ask, save) {
    this.dialog = dialog;
    this.view = this.opened = "";
    this.content = /** @type {ViewContent} */ ({});
    this.promptEdited = false;
    /** The inputs of the chosen kind, by name. @type {Record<string, any>} */
    this.inputs = {};
    this.kind = select(() => this.buildFields());
    this.fields = element("div.fields");
    this.prompt = element("textarea", { rows: 2, maxLength: 500 });
    this.prompt.oninput = () => (this.promptEdited = this.prompt.value !== "");
    this.error = element("p.error", { role: "alert" });
    /** @type {(act: (question: SavedQuestion) => Promise<string> | string) => () => void} */
    const submit = (act) => async () => {
      this.error.textContent = this.problem() || (await act(this.question()));
      if (!this.error.textContent) this.close();
    };
    const askNow = ask && submit((question) => ask(question, this.opened));
    const saveAnd = submit((question) => {
      if (!canStore()) return message("error_storage");
      save(question);
      return "";
    });
    this.link = element("input", { placeholder: "/?text=…", autocomplete: "off" });
    this.link.onchange = () => this.load(viewOfLink(this.link.value));
    dialog.addEventListener("close", () => announce(false));
    dialog.ariaLabel = message("ask_title");
    dialog.className = "question-form form";
    dialog.replaceChildren(
      element("h2", message("ask_title")),
      labelled(message("kind"), this.kind),
      labelled(message("prompt"), this.prompt),
      this.fields,
      labelled(message("link"), this.link),
      this.error,
      element(
        "div.foot",
        askNow && button(message("ask_now"), askNow, { className: "main" }),
        button(message("keep"), saveAnd, ask ? {} : { className: "main" }),
        button(message("cancel"), () => this.close()),
      ),
    );
  }

  /** @param {string} view @param {SavedQuestion} [question] to edit */
  async open(view, question) {
    announce(true);
    this.opened = view;
    this.promptEdited = question !== undefined;
    this.prompt.value = question?.prompt ?? "";
    await this.load(view, question);
    this.dialog.showModal();
  }

  /** @param {string} view @param {SavedQuestion} [question] */
  async load(view, question) {
    this.view = this.link.value = view;
    this.content = await describeView(view);
    this.error.textContent = "";
    const kinds = [
      ...(this.content.lesson ? ["lesson"] : []),
      ...(this.content.next ? ["next"] : []),
      ...(this.sides().length ? ["token", "head", "number"] : []),
      "choice",
    ];
    const names = kinds.map((kind) => [kind, message(`kind_${kind}`)]);
    if (!this.content.next) names.push(["", message("way_to_next")]);
    // A page may no longer offer the kind of a saved question.
    setOptions(this.kind, names, question?.lesson ? "lesson" : question?.kind);
    this.buildFields(question);
  }

  /** @returns {string} why the question cannot be asked, in words; "" if it can */
  problem() {
    const { options } = this.question();
    if (!this.prompt.value.trim()) return message("no_prompt");
    return options && options.length < 2 ? message("no_options") : "";
  }

  close() {
    this.dialog.close();
  }

  /** The sides of the view that have tokens. */
  sides() {
    return Object.entries(this.content.sides ?? {}).filter(([, { tokens }]) => tokens);
  }

  /** @param {Partial<SavedQuestion>} [question] with values of the fields */
  buildFields(question = {}) {
    const kind = this.kind.value;
    this.inputs = {};
    this.fields.replaceChildren();
    if (kind === "choice") {
      const { options = [], right = [] } = question;
      const mark = (/** @type {string} */ each, /** @type {number} */ i) =>
        right.includes(i) ? `*${each}` : each;
      const value = options.map(mark).join("\n");
      this.addField("options", element("textarea", { rows: 4, value }));
    } else if (["token", "head", "number"].includes(kind)) this.addTokenFields(kind, question);
    this.suggestPrompt();
  }

  /** @param {string} kind @param {Partial<SavedQuestion>} question */
  addTokenFields(kind, { side, query, key }) {
    const names = this.sides().map(([each, { model }]) => [
      each,
      message(`side_${each}`, { model }),
    ]);
    const sides = select(() => this.updateTokens());
    setOptions(sides, names, side ?? this.content.side);
    this.addField("side", sides, message("model"));
    for (const name of kind === "token" ? ["query"] : ["query", "key"])
      this.addField(
        name,
        select(() => this.suggestPrompt()),
      );
    const onchange = (/** @type {any} */ { target }) => this.hideSpecial(target.checked);
    const box = { type: "checkbox", checked: hidesSpecial(this.view), onchange };
    this.fields.append(element("label.check", element("input", box), message("hide_special")));
    // A causal mask lets every query but the first see key 1.
    this.updateTokens(query ?? this.content.picked ?? 2, key ?? 1);
  }

  /** Ask about the same tokens, with or without the special ones. @param {boolean} hidden */
  async hideSpecial(hidden) {
    const chosen = Object.entries(this.inputs).map(([name, { selectedOptions }]) => ({
      name,
      label: selectedOptions[0].label, // before the options are replaced
    }));
    const kept = /** @type {any} */ ({ kind: this.kind.value, side: this.inputs.side.value });
    await this.load(withSpecialHidden(this.view, hidden), kept);
    for (const { name, label } of chosen)
      for (const option of this.inputs[name].options) option.selected ||= option.label === label;
    this.suggestPrompt();
  }

  /** Offer the tokens of the chosen side. */
  updateTokens(query = this.inputs.query.value, key = this.inputs.key?.value) {
    /** @type {{ tokens: string[] }} */
    const { tokens } = this.chosenSide();
    const names = tokens.map((token, i) => [String(i), token]);
    setOptions(this.inputs.query, names, String(query));
    if (this.inputs.key) setOptions(this.inputs.key, names, String(key));
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
    this.prompt.value = message(`prompt_${kind}${mean && kind !== "head" ? "_mean" : ""}`, {
      query: label("query"),
      key: label("key"),
      head: headName(layer, head),
      layer: `L${layer}`,
    });
  }

  /** @returns {SavedQuestion} the question as the server accepts it */
  question() {
    const { side, query, key, options } = this.inputs;
    return {
      ...(this.kind.value === "lesson"
        ? { kind: this.content.lesson?.kind ?? "", lesson: true }
        : { kind: this.kind.value }),
      prompt: this.prompt.value.trim(),
      view: this.view,
      ...(side && { side: side.value }),
      ...(query && { query: Number(query.value) }),
      ...(key && { key: Number(key.value) }),
      ...(options && parseOptions(options.value)),
    };
  }

  /** @param {string} name @param {HTMLElement} input */
  addField(name, input, label = message(name)) {
    this.inputs[name] = input;
    this.fields.append(labelled(label, input));
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
    const path = text.trim();
    const root = window.location.origin + rootPath();
    const { href } = new URL(path.startsWith("/") ? root + path : path);
    return href.startsWith(`${root}/`) ? viewOf(href.slice(root.length)) : "/";
  } catch {
    return "/";
  }
}

/** @param {boolean} preparing whether a question is being prepared */
function announce(preparing) {
  window.dispatchEvent(new CustomEvent("headlight-preparing", { detail: preparing }));
}

/** @param {string} text @param {HTMLElement} input */
function labelled(text, input) {
  return element("label", element("span", text), input);
}

/** @param {() => void} onchange @returns {HTMLSelectElement} */
function select(onchange) {
  return element("select", { onchange });
}

/**
 * @param {HTMLSelectElement} target
 * @param {string[][]} options values and labels; one without a value cannot be selected
 * @param {string} [value] that is selected; the first one if there is no such option
 */
function setOptions(target, options, value) {
  target.replaceChildren(
    ...options.map(([value, label]) => element("option", { value, disabled: !value }, label)),
  );
  if (options.some(([each]) => each === value)) target.value = value ?? "";
}
