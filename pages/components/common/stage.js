// The part of the page that fills a projector's screen: laid out small and magnified, so that every
// view is what it is on the page. `present` says on the document's element which it is, and how much.

const STACKED = /st-key-stage_stacked/; // its columns stand below one another: see present.css
const COLUMN = '[data-testid="stColumn"]';

/** What `present` says of it. */
const said = () => document.documentElement.dataset;

/** @returns {boolean} whether something is presented */
export function presenting() {
  return said().present !== undefined;
}

/** @returns {number} how many times larger than laid out things are on the screen */
export function magnified() {
  return Number(said().scale) || 1;
}

/**
 * @param {Element} element
 * @returns {number | undefined} pixels, as they are laid out, from its top to the stage's end;
 *   nothing, where it is on no stage
 */
export function roomBelow(element) {
  const stage = said().stage && stageOf(element);
  if (!stage) return undefined;
  const frame = STACKED.test(stage.className) ? hostOf(element).closest(COLUMN) : stage;
  const room = frame.getBoundingClientRect().bottom - element.getBoundingClientRect().top;
  return Math.floor(room / magnified() - parseFloat(getComputedStyle(stage).paddingBottom));
}

/**
 * @param {Element} element
 * @param {Element} box around it: the component's
 * @returns {number | undefined} as `roomBelow`, less what follows the box in its column
 */
export function roomBefore(element, box) {
  const room = roomBelow(element);
  if (room === undefined) return undefined;
  const stage = stageOf(box);
  const beside = hostOf(box).closest(COLUMN);
  // Of a stage that stands in a column itself, its own content.
  const column = stage.contains(beside) ? beside.querySelector(".stVerticalBlock") : stage;
  const last = column?.lastElementChild ?? box;
  const after = last.getBoundingClientRect().bottom - box.getBoundingClientRect().bottom;
  return room - Math.max(after, 0) / magnified();
}

/**
 * @param {number} pixels on the screen
 * @returns {number} laid out; 0 while nothing is presented
 */
export function laidOut(pixels) {
  return presenting() ? pixels / magnified() : 0;
}

/** @param {Element} element */
function stageOf(element) {
  return hostOf(element).closest(`.${said().stage}`);
}

/** @param {Element} element maybe in a component's shadow root */
function hostOf(element) {
  const root = element.getRootNode();
  return root instanceof ShadowRoot ? root.host : element;
}
