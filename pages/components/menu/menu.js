// On a phone the pages are a menu that lies over the page. Streamlit leaves it open when a page was
// chosen from it; this closes it.

import { mount } from "../common/mount.js";

const NARROW = "(max-width: 768px)"; // where Streamlit lays the menu over the page

/** @implements {Drawing<null>} */
class Menu {
  /**
   * @param {HTMLElement} _root
   * @param {AbortSignal} signal
   */
  constructor(_root, signal) {
    document.addEventListener("click", (event) => closeBehind(event.target), { signal });
  }

  receive() {}
}

/** @param {EventTarget} clicked */
function closeBehind(clicked) {
  const menu = document.querySelector('[data-testid="stSidebar"]');
  if (!(clicked instanceof Element) || !window.matchMedia(NARROW).matches) return;
  if (!menu?.contains(clicked) || !clicked.closest("a")) return;
  /** @type {HTMLElement} */ (menu.querySelector('button[aria-expanded="true"]'))?.click();
}

/**
 * @param {Component<null>} component
 * @returns {() => void}
 */
export default function (component) {
  return mount(component, "span", Menu);
}
