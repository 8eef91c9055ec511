// Start here: three steps for a first visit, each told in the sentence of the view until it is done. The
// browser's storage remembers the number of finished steps.

/** @import { Store } from "./store.js" */

const KEY = "headlight.started"; // "1" from an earlier version: all steps are done
const STEPS = 3;

/** @type {number | undefined} finished steps */
let done;
/** @type {string | undefined} the first sentence of this visit */
let first;

/** @param {Store} store @returns {number} the next step, from 0; STEPS if all are done */
export function stepOf(store) {
  done ??= read();
  const { picked, overlaid, linked } = store.selection;
  const { sentence } = store.subjects[0];
  first ??= sentence;
  if (done === 0 && picked.length) finish(1);
  if (done === 1 && (overlaid.length || !linked)) finish(2);
  if (done === 2 && sentence !== first) finish(STEPS);
  return done;
}

/** @param {number} steps */
function finish(steps) {
  done = steps;
  try {
    localStorage.setItem(KEY, steps === STEPS ? "1" : `step ${steps}`);
  } catch {
    // Without storage, the steps begin again at the next visit.
  }
}

function read() {
  try {
    const stored = localStorage.getItem(KEY);
    return stored === "1" ? STEPS : Number(stored?.replace("step ", "") ?? 0);
  } catch {
    return STEPS; // the steps could not be finished
  }
}
