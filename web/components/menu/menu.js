// What Streamlit leaves undone in the browser: a click on a page closes the navigation menu, which covers a
// phone; its own words are in the page's language.

import { STREAMLIT } from "../../streamlit_patches/elements.js";
import { mount } from "../common/mount.js";
import { keepWhatIsTyped } from "../common/typing.js";

const NARROW = "(max-width: 768px)"; // where the menu covers the page

class Menu {
  /** @type {Record<string, string>} by Streamlit's English; empty in English */
  words = {};

  /** @param {HTMLElement} _root @param {AbortSignal} signal */
  constructor(_root, signal) {
    document.addEventListener("click", ({ target }) => closeMenu(target), { signal });
    keepWhatIsTyped(signal);
    const observer = new MutationObserver(() => this.translate());
    observer.observe(document.body, { childList: true, subtree: true });
    signal.addEventListener("abort", () => observer.disconnect());
  }

  /** @param {Component<{ menu: string, words: Record<string, string> }>} component */
  receive({ data }) {
    this.words = data.words;
    this.translate();
    document.documentElement.style.setProperty("--headlight-menu", JSON.stringify(data.menu));
  }

  translate() {
    if (!Object.keys(this.words).length) return;
    for (const part of /** @type {NodeListOf<HTMLInputElement>} */ (
      document.querySelectorAll(STREAMLIT.labelled)
    )) {
      // The button that removes a choice, or explains a widget, names it.
      const [, word, name = ""] =
        part.ariaLabel?.match(/^(Remove(?= )|Help for(?= )|.*$)(.*)$/s) ?? [];
      if (word in this.words) part.ariaLabel = this.words[word] + name;
      if (part.placeholder in this.words) part.placeholder = this.words[part.placeholder];
    }
    for (const part of document.querySelectorAll(STREAMLIT.worded)) {
      for (const each of [part, ...part.querySelectorAll("*")]) {
        const name = each.ariaLabel ?? "";
        if (name in this.words) each.ariaLabel = this.words[name];
        for (const node of each.childNodes)
          if (node instanceof Text && node.data in this.words) node.data = this.words[node.data];
      }
    }
  }
}

/** @param {EventTarget | null} clicked */
function closeMenu(clicked) {
  const menu = document.querySelector(STREAMLIT.sidebar);
  if (!(clicked instanceof Element) || !window.matchMedia(NARROW).matches) return;
  if (!menu?.contains(clicked) || !clicked.closest("a")) return;
  const button = menu.querySelector('button[aria-expanded="true"]');
  if (button instanceof HTMLElement) button.click();
}

export default mount("span", Menu);
