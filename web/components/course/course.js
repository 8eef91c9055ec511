// The list of lessons, and the progress in this browser. Text only ever becomes textContent.

import { element, fill } from "../classroom/dom.js";
import { find, unset } from "../common/find.js";
import { goTo } from "../common/navigation.js";
import { mount } from "../common/mount.js";
import { forgetProgress, progress } from "../common/progress.js";

/**
 * @typedef {object} ListedLesson
 * @property {string} name
 * @property {string} title
 * @property {string} learn
 * @property {string} minutes
 * @property {string[]} links of its steps
 * @property {string} group heading above it, or ""
 */

/**
 * @typedef {object} CourseData
 * @property {ListedLesson[]} lessons
 * @property {Record<string, string>} strings
 */

/** @implements {Drawing<CourseData>} */
class Course {
  /** @param {HTMLElement} root */
  constructor(root) {
    this.startButton = find(root, ".on");
    this.clear = find(root, ".clear");
    this.total = find(root, ".total");
    this.list = find(root, "ol");
    this.summary = find(root, ".summary");
    /** @type {CourseData} */
    this.data = unset();
    this.clear.onclick = () => {
      forgetProgress();
      this.draw();
      this.startButton.focus();
    };
  }

  /** @param {Component<CourseData>} component */
  receive({ data }) {
    this.data = data;
    this.draw();
  }

  draw() {
    const { lessons, strings } = this.data;
    const { at, done } = progress();
    const steps = lessons.flatMap(({ name, links }, index) =>
      links.map((link, i) => ({ name, index, step: i + 1, link })),
    );
    const place = nextPlace(steps, at, done);
    const begun = at !== undefined || Object.keys(done).length > 0;
    this.startButton.hidden = !place;
    this.startButton.textContent = place && begun ? this.continueLabel(place) : strings.begin;
    this.startButton.onclick = () => place && goTo(place.link);
    this.drawSummary(steps, done);
    this.clear.textContent = strings.clear;
    this.clear.hidden = !at && !Object.keys(done).length;
    this.total.textContent = strings.total;
    this.list.setAttribute("aria-label", strings.list);
    this.list.replaceChildren(
      ...lessons.flatMap((lesson, index) => {
        const item = element("li", this.row(lesson, index, done[lesson.name] ?? {}));
        const { group } = lesson;
        const begins = group && group !== lessons[index - 1]?.group;
        return begins ? [element("li.heading", group), item] : [item];
      }),
    );
  }

  /** @param {Place[]} steps @param {import("../common/progress.js").Progress["done"]} done */
  drawSummary(steps, done) {
    const answered = steps.flatMap(({ name, step }) => done[name]?.[step] ?? []);
    const seen = answered.filter((each) => each.seen).length;
    this.summary.hidden = !answered.length;
    const counts = { right: answered.length - seen, seen, all: steps.length };
    this.summary.textContent = fill(this.data.strings.summary, counts);
  }

  /** @param {Place} place @returns {string} */
  continueLabel({ index, step }) {
    const title = `${index + 1} · ${this.data.lessons[index].title}`;
    return fill(this.data.strings.go_on, { title, step });
  }

  /** @param {ListedLesson} lesson @param {number} index @param {Record<string, object>} answered */
  row(lesson, index, answered) {
    const steps = lesson.links.length;
    const count = Object.keys(answered).filter((step) => Number(step) <= steps).length;
    const all = count === steps;
    const text = fill(this.data.strings.answered, { done: count, steps });
    const row = element(
      "a.row",
      { href: `.${lesson.links[0]}` },
      element("span.number", String(index + 1)),
      element("span.title", lesson.title),
      element("span.learn", lesson.learn),
      element("span.minutes", lesson.minutes),
      element(all ? "span.done.all" : "span.done", count ? `${all ? "✓ " : ""}${text}` : ""),
    );
    row.onclick = (/** @type {MouseEvent} */ event) => {
      if (event.metaKey || event.ctrlKey || event.shiftKey) return; // opens a new tab or window
      event.preventDefault();
      goTo(lesson.links[0]);
    };
    return row;
  }
}

/**
 * A step of the course, from 1, and its lesson.
 *
 * @typedef {{ name: string, index: number, step: number, link: string }} Place
 */

/**
 * @param {Place[]} steps of the whole course
 * @param {string | undefined} at the last place in the course; the course may have changed since
 * @param {Record<string, Record<string, object>>} done
 * @returns {Place | undefined} the first step from there on without an answer; none if all have one
 */
export function nextPlace(steps, at, done) {
  const from = Math.max(
    0,
    steps.findIndex(({ name, step }) => `${name}.${step}` === at),
  );
  return [...steps.slice(from), ...steps.slice(0, from)].find(
    ({ name, step }) => !done[name]?.[step],
  );
}

export default mount(".course", Course);
