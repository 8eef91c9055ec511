// Sketches of a class, for the teacher: each can be collected for a comparison.

import { button, element, message } from "./dom.js";
import { sketchPicture } from "./results.js";

/** @typedef {{ id: number, answer: any }} Sketch `id` is that of the answer */

/** @param {RoomQuestion} question @returns {boolean} whether students sketch the answer */
export function isSketched({ kind }) {
  return ["sketch", "mask", "alignment"].includes(kind);
}

/**
 * @param {RoomQuestion} question
 * @param {() => Promise<Sketch[]>} load called when the list is opened
 * @param {(sketch: Sketch, number: number) => void} collect
 * @returns {HTMLElement} a closed list, because the sketches may be on a projector
 */
export function classSketches(question, load, collect) {
  const list = element("div.grids");
  const label = element("summary", message("sketches_class", { count: question.n_answers }));
  const details = element("details.texts", label, list);
  details.addEventListener("toggle", async () => {
    if (!details.open) return;
    const sketches = await load();
    list.replaceChildren(
      ...sketches.map((sketch, i) =>
        element(
          "div.one",
          sketchPicture(question, sketch.answer),
          button(message("collect"), () => collect(sketch, i + 1)),
        ),
      ),
    );
  });
  return details;
}
