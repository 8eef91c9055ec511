// A lesson in the room: the teacher starts it, opens all its steps, ends it, and sees first answers.
// The bar opens the steps one by one.

import { button, element, message } from "../classroom/dom.js";
import { stepsInWords } from "../classroom/lesson_work.js";

export class LessonSection {
  /**
   * @param {import("./desk.js").DeskData["lessons"]} lessons
   * @param {(path: string, body: object) => Promise<any>} post to the room, as its teacher
   */
  constructor(lessons, post) {
    this.lessons = lessons;
    this.post = post;
    this.drawn = "";
    this.controls = element("div.controls");
    /** One for each step, closed while the page may be on a projector. */
    this.answers = element("div");
    this.private = element("details.answers", element("summary", message("private")));
    this.private.append(this.answers);
    this.section = element(
      "section.lesson",
      element("h2", message("lesson_title")),
      this.controls,
      this.private,
    );
  }

  /** @param {RoomState} room */
  receive(room) {
    const drawn = JSON.stringify([room.plan, room.ended]);
    if (drawn !== this.drawn) {
      const { plan } = room;
      this.controls.replaceChildren(
        ...(plan ? this.paceControls(room, plan) : this.startControls()),
      );
    }
    this.drawn = drawn;
    this.drawAnswers(room.work ?? []);
  }

  startControls() {
    const options = this.lessons.map(({ name, title }) =>
      element("option", { value: name }, title),
    );
    const choice = element("select", { ariaLabel: message("lesson_title") }, options);
    const start = () => this.setPlan(choice.value, 1);
    return [
      element("div.acts", choice, button(message("lesson_start"), start, { className: "main" })),
    ];
  }

  /** @param {RoomState} room @param {RoomPlan} plan */
  paceControls(room, plan) {
    const { lesson, step } = plan;
    const title = element("b", plan.title);
    if (room.ended) return [element("p", title)];
    return [
      element("p", title, ` · ${stepsInWords(plan)}.`),
      element(
        "div.acts",
        button(message("all_steps"), () => this.setPlan(lesson, null), { disabled: step === null }),
        button(message("lesson_end"), () => this.setPlan(null, null), { className: "end" }),
      ),
    ];
  }

  /** @param {string | null} lesson null ends the lesson @param {number | null} step null opens all */
  setPlan(lesson, step) {
    return this.post("/plan", { lesson, step });
  }

  /** @param {StepAnswers[]} work */
  drawAnswers(work) {
    const { children } = this.answers;
    this.private.hidden = !work.length;
    while (children.length > work.length) this.answers.lastChild?.remove();
    while (children.length < work.length)
      this.answers.append(element("details", element("summary"), element("ul")));
    work.forEach(({ answered, right, answers }, i) => {
      const [summary, list] = children[i].children;
      summary.textContent = message("step_answers", { step: i + 1, answered, right });
      const listed = answers.reduce((sum, [, count]) => sum + count, 0);
      const row = (/** @type {string} */ answer, /** @type {number} */ count, isRight = false) =>
        element(
          "li",
          { className: isRight ? "right" : "", "--share": `${(100 * count) / answered}%` },
          `${isRight ? "✓ " : ""}${answer} (${count})`,
        );
      list.replaceChildren(
        ...answers.map((each) => row(...each)),
        ...(listed < answered ? [row(message("other_answers"), answered - listed)] : []),
      );
    });
  }
}
