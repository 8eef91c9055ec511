// Workaround for Streamlit's selectbox that accepts new options: it keeps the whole text.
//
// On the first change, the box removes the selected option from the text. If "scratch" is selected,
// "scratch@400" becomes "@400". The box does not do so when it is empty, so this empties it before
// each change.

const BOXES = ":is(.st-key-left, .st-key-right, .st-key-studied) input[role=combobox]";
const setValue = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value")?.set;

/** @param {AbortSignal} signal ends it */
export function keepWhatIsTyped(signal) {
  let own = false;
  const change = (/** @type {Event} */ event) => {
    const box = event.target;
    if (own || !(box instanceof HTMLInputElement) || !box.matches(BOXES) || !box.value) return;
    const [typed, caret] = [box.value, box.selectionStart];
    own = true;
    for (const value of ["", typed]) {
      setValue?.call(box, value);
      box.dispatchEvent(new Event("input", { bubbles: true }));
    }
    own = false;
    box.setSelectionRange(caret, caret);
  };
  document.addEventListener("input", change, { capture: true, signal });
}
