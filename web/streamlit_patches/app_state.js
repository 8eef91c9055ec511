// Access to the state that Streamlit writes as attributes on the element around the app.
//
// Replaces: nothing. Streamlit tells a component neither whether a run is in progress nor whether
// the connection is up.
// Upstream: not reported: Streamlit's own tests read the same attributes.
// Delete it when components receive both states.

export const CONNECTION = "data-test-connection-state";
export const SCRIPT = "data-test-script-state";

/** @param {string} attribute @returns {Element | null} the element that has it */
export function appElement(attribute) {
  return document.querySelector(`[${attribute}]`);
}

/** Its value; undefined if no element has it. @param {string} attribute */
export function appState(attribute) {
  return appElement(attribute)?.getAttribute(attribute);
}
