// The stage: the part of the page that fills the screen during a presentation. Its layout is small
// and magnified. The component `present` writes its class and its scale to the document's element.

/** The attributes that `present` writes. */
const attributes = () => document.documentElement.dataset;

/** @returns {boolean} whether something is presented */
export function presenting() {
  return attributes().present !== undefined;
}

/** @returns {number} pixels on the screen for each pixel of the layout */
export function magnified() {
  return Number(attributes().scale) || 1;
}

/** Layout pixels to the end of the stage; undefined outside it. @param {Element} element */
export function roomBelow(element) {
  const root = element.getRootNode();
  const host = root instanceof ShadowRoot ? root.host : element;
  const stage = attributes().stage && host.closest(`.${attributes().stage}`);
  if (!stage) return undefined;
  const room = stage.getBoundingClientRect().bottom - element.getBoundingClientRect().top;
  return Math.floor(room / magnified() - parseFloat(getComputedStyle(stage).paddingBottom));
}

/** Pixels of the layout; 0 without a presentation. @param {number} pixels on the screen */
export function laidOut(pixels) {
  return presenting() ? pixels / magnified() : 0;
}

/** On the space bar. @type {(toggle: () => void, signal: AbortSignal) => void} */
export function onPlay(toggle, signal) {
  const answer = (/** @type {Event} */ event) => {
    if (event.defaultPrevented) return;
    event.preventDefault();
    toggle();
  };
  window.addEventListener("headlight-play", answer, { signal });
}
