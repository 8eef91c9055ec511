// The list of lessons, and the progress in this browser. Text only ever becomes textContent.

import { build, fill } from "../classroom/dom.js";
import { find } from "../common/find.js";
import { goTo } from "../common/navigation.js";
import { mount } from "../common/mount.js";
import { Part } from "../common/part.js";
import { forgetProgress, progress } from "../common/progress.js";

/** @typedef {{ lesson: string, step: number, link: string }} Step its number counts from 1 */

/**
 * @typedef {{ number: string, title: string, learn?: string, minutes?: string, steps: Step[] }} Row
 *   a lesson, or a question of one
 */

/** @typedef {{ rows: Row[], strings: Record<string, string> }} CourseData */

/** @extends {Part<CourseData>} */
class Course extends Part {
  startButton = find(this.root, ".on");
  clear = find(this.root, ".clear");
  list = find(this.root, "ol");
  summary = find(this.root, ".summary");

  /** @param {Component<CourseData>} component */
  receive({ data }) {
    this.data = data;
    this.draw();
  }

  draw() {
    const { rows, strings } = this.data;
    const { at, done } = progress();
    const steps = rows.flatMap((row) => row.steps);
    const next = nextStep(steps, at, done);
    const begun = steps.some(
      ({ lesson, step }) => `${lesson}.${step}` === at || done[lesson]?.[step],
    );
    const row = rows.find(({ steps }) => next && steps.includes(next));
    const label = { title: `${row?.number} · ${row?.title}`, step: next?.step };
    this.startButton.hidden = !next;
    this.startButton.textContent = begun ? fill(strings.go_on, label) : strings.begin;
    this.startButton.onclick = () => next && goTo(next.link);
    const answered = steps.flatMap(({ lesson, step }) => done[lesson]?.[step] ?? []);
    const seen = answered.filter((each) => each.seen).length;
    const counts = { right: answered.length - seen, seen, all: steps.length };
    const said = seen ? strings.summary_seen : strings.summary;
    this.summary.textContent = answered.length ? fill(said, counts) : "";
    this.clear.textContent = strings.clear;
    this.clear.hidden = !begun;
    this.clear.onclick = () => {
      forgetProgress();
      this.draw();
      this.startButton.focus();
    };
    this.list.setAttribute("aria-label", strings.list);
    this.list.replaceChildren(...rows.map((row) => build("li", this.row(row, done))));
  }

  /** @param {Row} row @param {Done} done */
  row({ number, title, learn = "", minutes = "", steps }, done) {
    const count = steps.filter(({ lesson, step }) => done[lesson]?.[step]).length;
    const all = steps.every(({ lesson, step }) => done[lesson]?.[step]?.seen === false);
    const text = fill(this.data.strings.answered, { count, all: steps.length });
    const [{ link }] = steps;
    const onclick = (/** @type {MouseEvent} */ event) => {
      if (event.metaKey || event.ctrlKey || event.shiftKey) return; // opens a new tab or window
      event.preventDefault();
      goTo(link);
    };
    const parts = Object.entries({ number, title, learn, minutes });
    return build(
      "a.row",
      { href: `.${link}`, onclick },
      parts.map(([name, part]) => build(`span.${name}`, part)),
      build(all ? "span.done.all" : "span.done", count ? `${all ? "✓ " : ""}${text}` : ""),
    );
  }
}

/** @typedef {import("../common/progress.js").Progress["done"]} Done */

/**
 * @param {Step[]} steps
 * @param {string | undefined} at the last place in the course, as in "masks.2"
 * @param {Record<string, Record<string, object>>} done
 * @returns {Step | undefined} the first step from there on without an answer; none if all have one
 */
export function nextStep(steps, at, done) {
  const from = steps.findIndex(({ lesson, step }) => `${lesson}.${step}` === at);
  const open = steps.filter(({ lesson, step }) => !done[lesson]?.[step]);
  return open.find((each) => steps.indexOf(each) >= from) ?? open[0];
}

export default mount(".course", Course);
