// The step in the address. The browser alone moves between the steps, so it alone writes it: as the
// same entry of the history, since a step is no place that one goes back from.

/** @returns {number | undefined} the step that the address names */
export function stepInAddress() {
  const named = new URL(window.location.href).searchParams.get("step");
  return named !== null && /^\d{1,6}$/.test(named) ? Number(named) : undefined;
}

/** @param {number | undefined} step none where the end is shown, which is what a bare link shows */
export function writeStep(step) {
  const address = new URL(window.location.href);
  if (step === stepInAddress() && address.searchParams.has("step") === (step !== undefined)) return;
  if (step === undefined) address.searchParams.delete("step");
  else address.searchParams.set("step", String(step));
  window.history.replaceState(window.history.state, "", address);
}

/**
 * Write the step again whenever the server has written an address, which knows an older one; and
 * follow a step through the browser's history, or a teacher's. Where the browser has no Navigation API, the address
 * names the step until the next click elsewhere.
 *
 * @param {() => number | undefined} shown
 * @param {(step: number | undefined) => void} go
 * @param {AbortSignal} signal ends it
 */
export function keepStep(shown, go, signal) {
  const { pathname } = window.location;
  const changed = ({ navigationType }) => {
    if (window.location.pathname !== pathname) return;
    const led = navigationType === "traverse" || window.headlightFollowing;
    if (led) go(stepInAddress());
    else if (stepInAddress() !== shown()) writeStep(shown());
  };
  window.navigation?.addEventListener("currententrychange", changed, { signal });
}
