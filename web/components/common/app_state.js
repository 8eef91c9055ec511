// State that Streamlit writes as attributes on the element around the app.

export const CONNECTION = "data-test-connection-state";
export const SCRIPT = "data-test-script-state";

/**
 * @param {string} attribute
 * @returns {Element | null} the element that has it
 */
export function appElement(attribute) {
  return document.querySelector(`[${attribute}]`);
}

/**
 * @param {string} attribute
 * @returns {string | null | undefined} its value; undefined if no element has it
 */
export function appState(attribute) {
  return appElement(attribute)?.getAttribute(attribute);
}
