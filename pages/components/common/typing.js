// What is typed into a picker that takes any name is the whole name.
//
// Streamlit's box keeps of a first change only the letters that are new: after "scratch", both
// "@400" typed behind it and "scratch@400" pasted over it become "@400". It does so only while the
// box holds what was chosen, so the box is emptied a moment before the change arrives.

const BOXES = ":is(.st-key-left, .st-key-right, .st-key-studied) input[role=combobox]";
const setValue = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value").set;

/** @param {AbortSignal} signal ends it */
export function keepWhatIsTyped(signal) {
  let own = false;
  const change = (event) => {
    const box = event.target;
    if (own || !(box instanceof HTMLInputElement) || !box.matches(BOXES) || !box.value) return;
    const [typed, caret] = [box.value, box.selectionStart];
    own = true;
    for (const value of ["", typed]) {
      setValue.call(box, value);
      box.dispatchEvent(new Event("input", { bubbles: true }));
    }
    own = false;
    box.setSelectionRange(caret, caret);
  };
  document.addEventListener("input", change, { capture: true, signal });
}
