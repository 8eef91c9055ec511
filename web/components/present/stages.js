// Stages: the parts of the page that can fill the screen, and their magnification.

const STAGES = '[class*="st-key-stage_"]'; // named by web/widgets/present.py
const GROWING = '[class*="st-key-stage_grown_"]'; // its height depends on its content
const KEYED = '.stVerticalBlock[class*="st-key-"]'; // container of a figure

const TYPE = 24 / 14; // usual minimum scale: small type (14 px) is readable from the back row
const LEAST = 18 / 12; // absolute minimum: so is the smallest type (12 px)
const WIDE = 960; // layout pixels of a large screen
const HIGH = 540;
const PAGE = 1.7; // scale of the whole page, as in present.css
const GROWN = 1.7; // factor for a stage that would leave half of the screen empty
const TOP = 8; // layout pixels above the content
const LINE = 66; // height of the caption in pixels, as in present.css
const BAR = 46; // height of the bar of a room
const CLOSE = ".headlight-view .heads + .panel"; // selected heads, beside or below all

/**
 * @returns {HTMLElement[]} the stages and the figures outside of them, in document order; twice a view
 *   of all heads, which then shows the selected heads alone
 */
export function stagesOf() {
  const found = /** @type {Set<HTMLElement>} */ (new Set(document.querySelectorAll(STAGES)));
  for (const chart of document.querySelectorAll(".headlight-chart")) {
    /** @type {HTMLElement | null} */
    const own = chart.closest(STAGES) ? null : chart.closest(KEYED);
    if (own) found.add(own);
  }
  return [...found]
    .filter((each) => each.offsetHeight > 0 && each.checkVisibility()) // not in a closed box
    .sort((a, b) => (a.compareDocumentPosition(b) & Node.DOCUMENT_POSITION_FOLLOWING ? -1 : 1))
    .flatMap((each) => (each.querySelector(CLOSE) ? [each, each] : each));
}

/**
 * Write the stage to the document's element.
 *
 * @param {HTMLElement | undefined} stage
 * @param {boolean} [close] whether it shows the selected heads alone
 */
export function take(stage, close = false) {
  const { dataset } = document.documentElement;
  document.documentElement.toggleAttribute("data-close", close);
  if (stage) dataset.stage = keyOf(stage);
  else delete dataset.stage;
}

/** CSS for the views on a stage; the caption has the theme. @param {HTMLElement} line */
function themed(line) {
  const paper =
    getComputedStyle(line).getPropertyValue("--st-background-color").trim() || "#ffffff";
  return `html { --headlight-paper: ${paper}; --headlight-halo: ${paper}; --headlight-faint: 0.75; }`;
}

/**
 * Lay out a stage so that it fills the window, at the largest scale that fits. Type stays readable:
 * there is a minimum scale.
 *
 * @param {CSSStyleSheet} sheet for the rules
 * @param {HTMLElement | undefined} stage
 * @param {HTMLElement} line the caption
 */
export function fit(sheet, stage, line) {
  const usual = Math.max(Math.min(window.innerWidth / WIDE, window.innerHeight / HIGH), TYPE);
  if (!stage) {
    const { dataset } = document.documentElement;
    if (dataset.present) dataset.scale = String(PAGE);
    else delete dataset.scale;
    sheet.replaceSync(dataset.present ? themed(line) : "");
    window.dispatchEvent(new Event("headlight-present"));
    return;
  }
  const shown = (/** @type {number} */ scale, tight = false) => {
    document.documentElement.dataset.scale = scale.toFixed(3);
    const tightRule = tight ? "html { --headlight-tight: none; --headlight-wrap: wrap; }" : "";
    sheet.replaceSync(themed(line) + rule(keyOf(stage), scale) + tightRule);
    window.dispatchEvent(new Event("headlight-present"));
    return stage.scrollHeight <= stage.clientHeight && stage.scrollWidth <= stage.clientWidth;
  };
  const most = stage.matches(GROWING) ? usual * GROWN : usual;
  // If it does not fit at the minimum scale, show only the results.
  const onlyResults = (/** @type {number} */ scale) => shown(scale, true);
  const fits = largest(most, shown) || largest(most, onlyResults);
  // A figure whose cells do not shrink may be wider: it is readable at the scale of the page.
  if (!fits && stage.scrollWidth > stage.clientWidth) largest(LEAST, onlyResults, 1);
}

/**
 * @param {number} most
 * @param {(scale: number) => boolean} fits applies a scale, and returns whether the stage fits
 * @param {number} least
 * @returns {boolean} whether any scale fits; the last one stays applied
 */
function largest(most, fits, least = LEAST) {
  for (let scale = most; scale > least; scale *= 0.94) if (fits(scale)) return true;
  return fits(least);
}

/** @param {string} key @param {number} scale */
function rule(key, scale) {
  const taken = LINE + (document.documentElement.dataset.room ? BAR : 0);
  const [width, height] = [window.innerWidth / scale, (window.innerHeight - taken) / scale];
  return `.${key} {
    visibility: visible; position: fixed; z-index: 97; inset: ${LINE}px auto auto 0; box-sizing: border-box;
    width: ${width}px !important; height: ${height}px !important; max-width: none !important;
    padding: ${TOP}px 10px 4px; overflow: auto; scrollbar-width: none;
    transform: scale(${scale}); transform-origin: 0 0; color: var(--st-text-color, CanvasText);
    background: var(--headlight-paper, Canvas);
  }`;
}

/** @param {HTMLElement} stage @returns {string} its class `st-key-...`, which every stage has */
function keyOf(stage) {
  const key = [...stage.classList].find((name) => name.startsWith("st-key-"));
  return /** @type {string} */ (key);
}
