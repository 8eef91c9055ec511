// Closes the navigation menu on a phone after a click on a page, which Streamlit would leave open over it.

import { STREAMLIT } from "../../streamlit_patches/elements.js";
import { mount } from "../common/mount.js";

const NARROW = "(max-width: 768px)"; // where the menu covers the page

class Menu {
  /** @param {HTMLElement} _root @param {AbortSignal} signal */
  constructor(_root, signal) {
    document.addEventListener("click", (event) => closeMenu(event.target), { signal });
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

export default mount("span", Menu);
