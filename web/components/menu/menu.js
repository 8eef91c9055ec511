// Links around the page: closes the navigation menu on a phone after a click on a page, which
// Streamlit would leave open over it; and completes the links of the strip "you are here".

import { STREAMLIT } from "../../streamlit_patches/elements.js";
import { goTo } from "../common/going.js";
import { mount } from "../common/mount.js";

const NARROW = "(max-width: 768px)"; // where the menu covers the page
const STRIP = ".st-key-you_are_here";
const CARRIED = ["lang", "pair", "layer", "head"]; // only the browser knows the view without a rerun

class Menu {
  /** @param {HTMLElement} _root @param {AbortSignal} signal */
  constructor(_root, signal) {
    document.addEventListener("click", (event) => closeMenu(event.target), { signal });
    document.addEventListener("pointerdown", followStrip, { signal });
    document.addEventListener("click", followStrip, { signal });
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

/**
 * @param {string} search query string of the current view
 * @param {string} href of the strip's link: the zoom, and the view with which the page was entered
 * @returns {string} link to the current model and text, from the root of the site
 */
export function linkFrom(search, href) {
  const here = new URLSearchParams(search);
  const text = here.get("text") ?? here.get("source");
  const left = here.get("model") ?? here.get("translator") ?? here.get("left");
  if (text === null || left === null) return `/${href}`;
  const zoom = new URLSearchParams(href.slice(href.indexOf("?"))).get("zoom") ?? "whole";
  const there = new URLSearchParams({ zoom, text, left });
  for (const name of CARRIED) {
    const value = here.get(name);
    if (value !== null) there.set(name, value);
  }
  return `/model?${there}`;
}

/**
 * Follow a link of the strip; a click for a new tab or window gets the complete link.
 *
 * @param {MouseEvent} event a press or a click anywhere on the page
 */
export function followStrip(event) {
  const link = event.target instanceof Element ? event.target.closest(`${STRIP} a`) : null;
  if (!(link instanceof HTMLAnchorElement)) return;
  const target = linkFrom(window.location.search, link.getAttribute("href") ?? "");
  if (event.type !== "click" || event.metaKey || event.ctrlKey || event.shiftKey) {
    link.href = target.slice(1);
    return;
  }
  event.preventDefault();
  goTo(target);
}

export default mount("span", Menu);
