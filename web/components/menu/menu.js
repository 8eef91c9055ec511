// Clicks that Streamlit leaves without an effect in the browser: one on a page closes the navigation menu,
// which covers a phone; one on the example "your own sentence" selects the text of the sentence's box.

import { STREAMLIT } from "../../streamlit_patches/elements.js";
import { mount } from "../common/mount.js";

const NARROW = "(max-width: 768px)"; // where the menu covers the page

class Menu {
  /** @param {HTMLElement} _root @param {AbortSignal} signal */
  constructor(_root, signal) {
    document.addEventListener("click", ({ target }) => (closeMenu(target), selectText(target)), {
      signal,
    });
  }

  /** @param {Component<{ menu: string }>} component */
  receive({ data }) {
    document.documentElement.style.setProperty("--headlight-menu", JSON.stringify(data.menu));
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

/** @param {EventTarget | null} clicked */
function selectText(clicked) {
  if (!(clicked instanceof Element) || !clicked.closest(".st-key-card_own button")) return;
  const box = document.querySelector(".st-key-text input");
  if (box instanceof HTMLInputElement) box.select();
}

export default mount("span", Menu);
