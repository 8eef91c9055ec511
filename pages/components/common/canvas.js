// What every view drawn on a canvas needs.

import { magnified } from "./stage.js";

/**
 * Size a canvas so that it is sharp on every screen, and empty it.
 *
 * @param {HTMLCanvasElement} canvas
 * @param {number} width in CSS pixels; the style sheet says how wide it is shown
 * @param {number} height in CSS pixels
 * @returns {CanvasRenderingContext2D} that counts in CSS pixels
 */
export function sharp(canvas, width, height) {
  const ratio = screenRatio();
  canvas.width = Math.round(width * ratio);
  canvas.height = Math.round(height * ratio);
  canvas.style.height = `${height}px`;
  const context = canvas.getContext("2d");
  context.scale(ratio, ratio);
  return context;
}

/** @returns {number} pixels of the screen in one of CSS */
export function screenRatio() {
  return (window.devicePixelRatio || 1) * magnified();
}

/**
 * @param {Element} element
 * @returns {string} the colour of text in Streamlit's theme
 */
export function inkOf(element) {
  return getComputedStyle(element).getPropertyValue("--st-text-color").trim() || "#333";
}

/**
 * Draw again whenever an element's size changes.
 *
 * @param {Element} element
 * @param {() => void} draw
 * @param {AbortSignal} signal ends it
 */
export function onResize(element, draw, signal) {
  const observer = new ResizeObserver(draw);
  observer.observe(element);
  window.addEventListener("headlight-present", draw, { signal }); // as wide, and yet another size
  signal.addEventListener("abort", () => observer.disconnect());
}
