// Helpers for views that draw on a canvas.

import { magnified } from "./stage.js";

/**
 * Resize a canvas to the pixels of the screen, and clear it.
 *
 * @param {HTMLCanvasElement} canvas
 * @param {number} width in CSS pixels, the unit of the context; the style sheet sets it on the page
 * @param {number} height
 */
export function sharp(canvas, width, height) {
  const ratio = screenRatio();
  canvas.width = Math.round(width * ratio);
  canvas.height = Math.round(height * ratio);
  canvas.style.height = `${height}px`;
  const context = context2d(canvas);
  context.scale(ratio, ratio);
  return context;
}

/** @param {HTMLCanvasElement} canvas @throws {Error} if the browser does not draw on canvases */
export function context2d(canvas) {
  const context = canvas.getContext("2d");
  if (!context) throw new Error("no 2D context");
  return context;
}

/**
 * @param {number} type pixels of a name's height; 0 in a layout that is not visible
 * @param {number} cell pixels from one name to the next; possibly 0, negative or NaN
 * @returns {number} 1 if every name fits, 2 if every second name fits, and so on; finite
 */
export function nameStep(type, cell) {
  const step = Math.ceil(type / Math.max(cell, 1));
  return Number.isFinite(step) ? Math.max(step, 1) : 1;
}

/** @returns {number} screen pixels for each CSS pixel */
export function screenRatio() {
  return (window.devicePixelRatio || 1) * magnified();
}

/** @param {Element} element @returns {string} the text colour of Streamlit's theme */
export function inkOf(element) {
  return getComputedStyle(element).getPropertyValue("--st-text-color").trim() || "#333";
}

/** @type {(element: Element, draw: () => void, signal: AbortSignal) => void} */
export function onResize(element, draw, signal) {
  const observer = new ResizeObserver(draw);
  observer.observe(element);
  // A presentation changes the scale, but not always the width.
  window.addEventListener("headlight-present", draw, { signal });
  signal.addEventListener("abort", () => observer.disconnect());
}
