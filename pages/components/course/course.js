// The lessons as a list, and how far this browser has come. Text only ever becomes textContent.

import { goTo } from "../common/going.js";
import { mount } from "../common/mount.js";
import { forgetProgress, progress } from "../common/progress.js";

/**
 * @typedef {object} Listed
 * @property {string} name
 * @property {string} title
 * @property {string} learn
 * @property {string} minutes
 * @property {string[]} links of its steps
 * @property {boolean} added whether it is one of this server's own
 */

/**
 * @typedef {object} CourseData
 * @property {number} named the lesson that the address points out, from 1; 0: none
 * @property {Listed[]} lessons
 * @property {Record<string, string>} strings
 */

/** @implements {Drawing<CourseData>} */
class Course {
  /** @param {HTMLElement} root */
  constructor(root) {
    this.on = /** @type {HTMLButtonElement} */ (root.querySelector(".on"));
    this.clear = /** @type {HTMLButtonElement} */ (root.querySelector(".clear"));
    this.total = root.querySelector(".total");
    this.list = root.querySelector("ol");
    this.clear.onclick = () => {
      forgetProgress();
      this.draw();
      this.on.focus();
    };
  }

  /** @param {Component<CourseData>} component */
  receive({ data }) {
    const pointed = data.named !== this.data?.named;
    this.data = data;
    this.draw();
    if (pointed && data.named) this.rows[data.named - 1]?.scrollIntoView({ block: "center" });
  }

  draw() {
    const { lessons, strings } = this.data;
    const { at, done } = progress();
    const on = this.placeOf(at);
    this.on.hidden = !lessons.length;
    this.on.textContent = on ? this.goOn(on) : strings.begin;
    this.on.onclick = () => goTo(on ? on.link : lessons[0].links[0]);
    this.clear.textContent = strings.clear;
    this.clear.hidden = !at && !Object.keys(done).length;
    this.total.textContent = strings.total;
    this.list.setAttribute("aria-label", strings.list);
    this.rows = lessons.map((lesson, index) => this.row(lesson, index, done[lesson.name] ?? {}));
    const first = lessons.findIndex(({ added }) => added);
    this.list.replaceChildren(
      ...this.rows.flatMap((row, index) => {
        const item = document.createElement("li");
        item.append(row);
        return index === first ? [element("li", "heading", strings.added), item] : [item];
      }),
    );
  }

  /**
   * @param {string | undefined} at a place of the course, as it was then
   * @returns {{ index: number, step: string, link: string } | null}
   */
  placeOf(at) {
    const [name, step] = (at ?? "").split(".");
    const index = this.data.lessons.findIndex((each) => each.name === name);
    const link = this.data.lessons[index]?.links[Number(step) - 1];
    return link ? { index, step, link } : null;
  }

  /** @param {{ index: number, step: string }} place */
  goOn({ index, step }) {
    const title = `${index + 1} · ${this.data.lessons[index].title}`;
    return this.data.strings.go_on.replace("{title}", () => title).replace("{step}", step);
  }

  /**
   * @param {Listed} lesson
   * @param {number} index
   * @param {Record<string, string>} answered
   */
  row(lesson, index, answered) {
    const row = document.createElement("a");
    const steps = lesson.links.length;
    const count = Object.keys(answered).filter((step) => Number(step) <= steps).length;
    const all = count === steps;
    const told = this.data.strings.answered
      .replace("{done}", String(count))
      .replace("{steps}", String(steps));
    row.href = lesson.links[0];
    row.className = index + 1 === this.data.named ? "row named" : "row";
    row.append(
      element("span", "number", String(index + 1)),
      element("span", "title", lesson.title),
      element("span", "learn", lesson.learn),
      element("span", "minutes", lesson.minutes),
      element("span", all ? "done all" : "done", count ? `${all ? "✓ " : ""}${told}` : ""),
    );
    row.onclick = (event) => {
      if (event.metaKey || event.ctrlKey || event.shiftKey) return; // a tab or a window of its own
      event.preventDefault();
      goTo(lesson.links[0]);
    };
    return row;
  }
}

/**
 * @param {string} tag
 * @param {string} className
 * @param {string} text
 */
function element(tag, className, text) {
  const made = document.createElement(tag);
  made.className = className;
  made.textContent = text;
  return made;
}

/**
 * @param {Component<CourseData>} component
 * @returns {() => void}
 */
export default function (component) {
  return mount(component, ".course", Course);
}
