// Scrolls to the widget that a step names, until the user acts.

import { STREAMLIT } from "../../streamlit_patches/elements.js";

/**
 * @param {string} key of the widget
 * @param {() => number} top the upper edge of the free part of the screen
 * @returns {() => void} stops it
 */
export function follow(key, top) {
  const page = document.querySelector(STREAMLIT.main);
  const content = page?.querySelector(STREAMLIT.block);
  const align = () => {
    const target = page?.querySelector(`.st-key-${CSS.escape(key)}`)?.getBoundingClientRect();
    if (!target?.height) return;
    const free = { from: top() + 8, to: window.innerHeight - 8 };
    const fits = target.top >= free.from && target.bottom <= free.to;
    if (!fits) page?.scrollBy(0, target.top - free.from);
  };
  // The page is drawn bit by bit, and each bit changes its height.
  const observer = new ResizeObserver(align);
  if (content) observer.observe(content.firstElementChild ?? content);
  return () => observer.disconnect();
}
