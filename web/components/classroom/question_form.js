// The teacher's form for a question about a view.

import { headName } from "../common/selection.js";
import { button, build, message } from "./dom.js";

/**
 * What can be asked about a view, as rooms/api/question_builder.py describes it.
 *
 * @typedef {object} ViewContent
 * @property {string} [model]
 * @property {string[]} [tokens] none if the page shows no sentence
 * @property {number} [layer]
 * @property {number} [head]
 * @property {[query: number, key: number] | null} [link] a strong one between words
 */

export class QuestionForm {
  /**
   * @param {HTMLDialogElement} dialog
   * @param {(question: object) => Promise<string>} ask returns the error in words, or ""
   */
  constructor(dialog, ask) {
    this.dialog = dialog;
    this.view = "";
    this.content = /** @type {ViewContent} */ ({});
    this.promptEdited = false;
    /** The inputs of the chosen kind, by name. @type {Record<string, any>} */
    this.inputs = {};
    this.kind = build("select", { onchange: () => this.buildFields() });
    this.fields = build("div.fields");
    this.prompt = build("textarea", { rows: 2, maxLength: 500, required: true });
    this.prompt.oninput = () => (this.promptEdited = this.prompt.value !== "");
    this.error = build("p.error", { role: "alert" });
    const submit = async () => {
      if (!this.prompt.reportValidity()) return;
      this.error.textContent = await ask(this.question());
      if (!this.error.textContent) dialog.close();
    };
    dialog.ariaLabel = message("ask_title");
    dialog.className = "question-form form";
    dialog.replaceChildren(
      build("h2", message("ask_title")),
      labelled(message("kind"), this.kind),
      labelled(message("prompt"), this.prompt),
      this.fields,
      this.error,
      build(
        "div.acts",
        button(message("ask"), submit, { className: "main" }),
        button(message("cancel"), () => dialog.close()),
      ),
    );
  }

  /** @param {string} view @param {ViewContent} content */
  open(view, content) {
    this.view = view;
    this.promptEdited = false;
    this.error.textContent = "";
    this.content = content;
    const ofTokens = content.link ? ["token", "head", "number"] : ["head", "number", "token"];
    const kinds = [...(content.tokens ? ofTokens : []), "choice"];
    const options = kinds.map((kind) => new Option(message(`kind_${kind}`), kind));
    this.kind.replaceChildren(...options);
    this.buildFields();
    this.dialog.showModal();
  }

  buildFields() {
    const kind = this.kind.value;
    this.inputs = {};
    this.fields.replaceChildren();
    if (kind === "choice") this.addField("options", build("textarea", { rows: 4 }));
    else {
      // Any query but the first may see key 1, also under a causal mask.
      const { tokens = [], link } = this.content;
      const [query, key] = link ?? [2, 1];
      const chosen = kind === "token" ? { query } : { query, key };
      for (const [name, unit] of Object.entries(chosen)) {
        const names = tokens.map((token, i) => new Option(token, String(i), false, i === unit));
        this.addField(name, build("select", { onchange: () => this.suggestPrompt() }, names));
      }
    }
    this.suggestPrompt();
  }

  /** Suggest a prompt, unless the teacher has typed one. */
  suggestPrompt() {
    if (this.promptEdited) return;
    const { inputs } = this;
    const label = (/** @type {string} */ name) =>
      inputs[name]?.selectedOptions[0]?.textContent ?? "";
    const { model = "", layer = 0, head = 0 } = this.content;
    this.prompt.value = message(`prompt_${this.kind.value}`, {
      query: label("query"),
      key: label("key"),
      head: headName(layer, head),
      model,
    });
  }

  /** @returns {object} the question as the server accepts it */
  question() {
    const { query, key, options } = this.inputs;
    return {
      kind: this.kind.value,
      prompt: this.prompt.value.trim(),
      view: this.view,
      ...(query && { query: Number(query.value) }),
      ...(key && { key: Number(key.value) }),
      ...(options && parseOptions(options.value)),
    };
  }

  /** @param {string} name @param {HTMLElement} input */
  addField(name, input) {
    this.inputs[name] = input;
    this.fields.append(labelled(message(name), input));
  }
}

/**
 * @param {string} text one option a line; "*" marks a right one
 * @returns {{ options: string[], right: number[] }}
 */
function parseOptions(text) {
  const found = [...text.matchAll(/^[^\S\n]*(\*?)[^\S\n]*(\S.*)$/gm)];
  return {
    options: found.map(([, , option]) => option.trim()),
    right: found.flatMap(([, star], i) => (star ? [i] : [])),
  };
}

/** @param {string} text @param {HTMLElement} input */
function labelled(text, input) {
  return build("label", build("span", text), input);
}
