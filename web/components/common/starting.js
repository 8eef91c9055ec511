// Whether Start here is open, and at which step: an attribute of the page, which the script of
// web/assets/early.js sets on a first visit. The browser's storage remembers that it was closed.

const KEY = "headlight.started"; // as in early.js

/**
 * @param {number} [step] from 1; without it, nothing changes
 * @returns {number} the step; 0 if Start here is closed
 */
export function startStep(step) {
  const { dataset } = document.documentElement;
  if (step) dataset.start = String(step);
  return Number(dataset.start ?? 0);
}

export function closeStart() {
  delete document.documentElement.dataset.start;
  finishStart();
}

/** Keep it closed from the next load on. */
export function finishStart() {
  try {
    localStorage.setItem(KEY, "1");
  } catch {
    // Without storage, it is open again at the next visit.
  }
}

export function openStart() {
  startStep(1);
  window.dispatchEvent(new Event("headlight-start"));
}
