// Links of the strip "you are here" to the Model page. They carry the model, the text and the head of
// the current view, which only the browser knows without a rerun.

import { goTo } from "../common/going.js";

const STRIP = ".st-key-you_are_here";
const CARRIED = ["lang", "pair", "layer", "head"];

/**
 * @param {string} search query string of the current view
 * @param {string} href of the strip's link: the zoom, and the view with which the page was entered
 * @returns {string} link to the current model and text, from the root of the site
 */
export function linkFrom(search, href) {
  const here = new URLSearchParams(search);
  const text = here.get("text") ?? here.get("source");
  const left = here.get("model") ?? here.get("translator") ?? here.get("left");
  if (text === null || left === null) return `/${href}`;
  const zoom = new URLSearchParams(href.slice(href.indexOf("?"))).get("zoom") ?? "whole";
  const there = new URLSearchParams({ zoom, text, left });
  for (const name of CARRIED) {
    const value = here.get(name);
    if (value !== null) there.set(name, value);
  }
  return `/model?${there}`;
}

/**
 * Follow a link of the strip; a click for a new tab or window gets the complete link.
 *
 * @param {MouseEvent} event a press or a click anywhere on the page
 */
export function followStrip(event) {
  const link = event.target instanceof Element ? event.target.closest(`${STRIP} a`) : null;
  if (!(link instanceof HTMLAnchorElement)) return;
  const target = linkFrom(window.location.search, link.getAttribute("href") ?? "");
  if (event.type !== "click" || event.metaKey || event.ctrlKey || event.shiftKey) {
    link.href = target.slice(1);
    return;
  }
  event.preventDefault();
  goTo(target);
}
