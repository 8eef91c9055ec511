// The space bar plays whatever plays on the page, while something is presented.

/**
 * @param {() => void} toggle plays, or pauses
 * @param {AbortSignal} signal ends it
 */
export function onPlay(toggle, signal) {
  const answer = (/** @type {Event} */ event) => {
    if (event.defaultPrevented) return;
    event.preventDefault();
    toggle();
  };
  window.addEventListener("headlight-play", answer, { signal });
}
