// On a phone, what a tap changes may be off the screen.

/** @returns {boolean} whether the window is as narrow as a phone; the width is also in page.css */
export function narrow() {
  return window.matchMedia("(max-width: 640px)").matches;
}

/**
 * On a phone, scroll to an element; "nearest" does not move a visible one.
 *
 * @param {Element | null | undefined} element
 * @param {ScrollLogicalPosition} block its place on the screen
 */
export function bring(element, block) {
  if (!narrow()) return;
  const calm = window.matchMedia("(prefers-reduced-motion: reduce)").matches;
  element?.scrollIntoView({ block, behavior: calm ? "instant" : "smooth" });
}
