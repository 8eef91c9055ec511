// What can fill the screen, and how large it is shown there.

import { luminance, colourOf } from "../common/contrast.js";

const STAGES = '[class*="st-key-stage_"]'; // as pages/shared/present.py names them
const GROWING = '[class*="st-key-stage_grown_"]'; // takes no more room than it needs
const KEYED = '.stVerticalBlock[class*="st-key-"]'; // a figure's own container

const TYPE = 24 / 14; // magnifies the page's small type to what a back row reads
const LEAST = 18 / 12; // and the smallest to what it still does
const WIDE = 960; // pixels as laid out, where a screen is large enough
const HIGH = 540;
const PAGE = 1.7; // of the page as a whole, as in present.css
const GROWN = 1.7; // times the usual, of what would leave the screen half empty
const TOP = 8; // pixels above it, as laid out
const LINE = 44; // pixels of the caption, as in present.css

/** @returns {HTMLElement[]} in the page's order: its stages, and each figure that stands on none */
export function stagesOf() {
  /** @type {Set<HTMLElement>} */
  const found = new Set(document.querySelectorAll(STAGES));
  for (const chart of document.querySelectorAll(".headlight-chart")) {
    if (!chart.closest(STAGES)) found.add(chart.closest(KEYED));
  }
  return [...found]
    .filter((each) => each && each.offsetHeight > 0)
    .sort((a, b) => (a.compareDocumentPosition(b) & Node.DOCUMENT_POSITION_FOLLOWING ? -1 : 1));
}

/** @param {HTMLElement | undefined} stage what the document is told of */
export function take(stage) {
  const { dataset } = document.documentElement;
  if (stage) dataset.stage = keyOf(stage);
  else delete dataset.stage;
}

/**
 * What views on a projector are told: of their paper, and how much larger they are.
 *
 * @param {HTMLElement} line of the caption, which knows the page's theme
 * @param {number} scale
 */
function themed(line, scale) {
  const paper =
    getComputedStyle(line).getPropertyValue("--st-background-color").trim() || "#ffffff";
  // Under type that is lighter than the hue, less of the hue.
  const shade = luminance(colourOf(paper).rgb) > 0.2 ? "100%" : "60%";
  return `html { --headlight-paper: ${paper}; --headlight-halo: ${paper}; --headlight-shade: ${shade};
    --headlight-times: ${scale}; --headlight-faint: 0.75; --headlight-formula: 12px; }`;
}

/**
 * Lay a stage out so that it fills the window, magnified: as much as there is room for, but never so
 * little that type is small.
 *
 * @param {CSSStyleSheet} sheet takes the rules
 * @param {HTMLElement | undefined} stage
 * @param {HTMLElement} line of the caption
 */
export function fit(sheet, stage, line) {
  const usual = Math.max(Math.min(window.innerWidth / WIDE, window.innerHeight / HIGH), TYPE);
  const shown = (scale, tight = false) => {
    document.documentElement.dataset.scale = scale.toFixed(3);
    const told = tight ? "html { --headlight-tight: none; }" : "";
    sheet.replaceSync(themed(line, scale) + rule(keyOf(stage), scale) + told);
    window.dispatchEvent(new Event("headlight-present"));
    return stage.scrollHeight <= stage.clientHeight && stage.scrollWidth <= stage.clientWidth;
  };
  if (!stage) {
    const { dataset } = document.documentElement;
    if (dataset.present) dataset.scale = String(PAGE);
    else delete dataset.scale;
    sheet.replaceSync(dataset.present ? themed(line, PAGE) : "");
    window.dispatchEvent(new Event("headlight-present"));
    return;
  }
  const most = stage.matches(GROWING) ? usual * GROWN : usual;
  // What has not room enough in the smallest type leaves out all but its results.
  if (!largest(most, shown)) largest(most, (scale) => shown(scale, true));
  if (stage.querySelector(".headlight-chart")) return; // it takes all the room
  const parts = /** @type {HTMLElement[]} */ ([...stage.children]);
  const taken = Math.max(...parts.map((part) => part.offsetTop + part.offsetHeight));
  const spare = Math.max(stage.clientHeight - taken, 0) / 2;
  sheet.insertRule(`.${keyOf(stage)} { padding-top: ${TOP + spare}px; }`, sheet.cssRules.length);
}

/**
 * @param {number} most
 * @param {(scale: number) => boolean} fits at a scale, at which it is left
 * @returns {boolean} whether any does
 */
function largest(most, fits) {
  for (let scale = most; scale > LEAST; scale *= 0.94) if (fits(scale)) return true;
  return fits(LEAST);
}

/**
 * @param {string} key
 * @param {number} scale
 */
function rule(key, scale) {
  const [width, height] = [window.innerWidth / scale, (window.innerHeight - LINE) / scale];
  return `.${key} {
    visibility: visible; position: fixed; z-index: 97; inset: 0 auto auto 0; box-sizing: border-box;
    width: ${width}px !important; height: ${height}px !important; max-width: none !important;
    padding: ${TOP}px 10px 4px; overflow: auto; scrollbar-width: none;
    transform: scale(${scale}); transform-origin: 0 0; color: var(--st-text-color, CanvasText);
    background: var(--headlight-paper, Canvas);
  }`;
}

/** @param {HTMLElement} stage */
function keyOf(stage) {
  return [...stage.classList].find((name) => name.startsWith("st-key-"));
}
