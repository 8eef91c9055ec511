// The step in the URL. Only the browser moves between steps, so only the browser writes it. A step
// replaces the history entry: Back leads to the previous view, not to the previous step.

/** @returns {number | undefined} the step that the URL names */
export function stepInUrl() {
  const step = new URL(window.location.href).searchParams.get("step");
  return step !== null && /^\d{1,6}$/.test(step) ? Number(step) : undefined;
}

/** @param {number | undefined} step undefined removes it: a URL without a step shows all steps */
export function writeStep(step) {
  const url = new URL(window.location.href);
  const { searchParams } = url;
  if (step === stepInUrl() && searchParams.has("step") === (step !== undefined)) return;
  if (step === undefined) searchParams.delete("step");
  else searchParams.set("step", String(step));
  window.history.replaceState(window.history.state, "", url.href);
}

/**
 * Follow the URL through the browser's history and when a teacher leads. A URL of the server has an
 * outdated step: replace it; without the Navigation API, at the next move.
 *
 * @type {(shown: () => number | undefined, go: (step: number | undefined) => void,
 *   signal: AbortSignal) => void}
 */
export function followHistory(shown, go, signal) {
  const { pathname } = window.location;
  const changed = (/** @type {{ navigationType: string | null }} */ { navigationType }) => {
    if (window.location.pathname !== pathname) return;
    const moved = navigationType === "traverse" || window.headlightFollowing;
    if (moved) go(stepInUrl());
    else if (stepInUrl() !== shown()) writeStep(shown());
  };
  window.navigation?.addEventListener("currententrychange", changed, { signal });
}
