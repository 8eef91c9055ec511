// During a presentation, the space bar starts and stops the playback on the page.

/** @param {() => void} toggle starts or stops the playback @param {AbortSignal} signal ends it */
export function onPlay(toggle, signal) {
  const answer = (/** @type {Event} */ event) => {
    if (event.defaultPrevented) return;
    event.preventDefault();
    toggle();
  };
  window.addEventListener("headlight-play", answer, { signal });
}
