// A lesson in the room: the teacher starts it, opens its steps, pauses it, and sees the work.

import { callApi, collectedBody, errorMessage } from "../classroom/api.js";
import { button, element, message } from "../classroom/dom.js";
import { openPlan, stepsInWords } from "../classroom/lesson_work.js";
import { askPause } from "../classroom/pause.js";
import { range } from "../classroom/answers.js";
import { save } from "../common/saving.js";
import { Gains } from "./gains.js";
import { WorkTable } from "./work_table.js";

const LOAD_INTERVAL = 500; // milliseconds between two requests of the work
const MAX_LESSON = 40_000; // characters, as in web/rooms/api/endpoints.py
const MAX_TITLE = 48; // characters, as in pages/lessons/schema.py

export class LessonSection {
  /**
   * @param {string} code
   * @param {string} token of the teacher
   * @param {import("./desk.js").LessonChoice[]} lessons
   * @param {(text: string) => void} setAlert
   */
  constructor(code, token, lessons, setAlert) {
    this.code = code;
    this.token = token;
    this.lessons = lessons;
    this.setAlert = setAlert;
    this.drawn = "";
    this.own = /** @type {import("./desk.js").LessonChoice[]} */ ([]);
    this.loaded = -1;
    this.loading = false;
    this.controls = element("div.controls");
    this.table = new WorkTable(lessons, {
      sendNote: (students, note) => this.post("/notes", { students, note }),
      collect: (label, view) => this.post("/collected", collectedBody(label, { view })),
    });
    const gains = new Gains(lessons, async () => (await this.loadCsv()) ?? "");
    this.section = element(
      "section.lesson",
      element("h2", message("lesson_title")),
      this.controls,
      this.table.root,
      gains.root,
    );
    this.loadOwn();
  }

  /** @param {RoomState} room */
  receive(room) {
    this.room = room;
    const drawn = JSON.stringify([room.plan, room.apart, room.paused, room.ended]);
    if (drawn !== this.drawn) this.drawControls(room);
    this.drawn = drawn;
    this.load();
  }

  /** @param {string} path @param {object} body */
  async post(path, body) {
    this.setAlert(errorMessage(await callApi(`/${this.code}${path}`, { token: this.token, body })));
  }

  /** Load the work again if the room has changed. */
  async load() {
    const { room } = this;
    if (!room?.plan || this.loading || room.version === this.loaded) return;
    this.loading = true;
    this.loaded = room.version ?? 0;
    const options = { token: this.token, method: "GET" };
    const response = await callApi(`/${this.code}/work`, options);
    if (response.status === 200 && this.room?.plan)
      this.table.draw(response.body, this.room.plan, this.room.ended);
    setTimeout(() => {
      this.loading = false;
      if (this.section.isConnected) this.load();
    }, LOAD_INTERVAL);
  }

  /** @param {RoomState} room */
  drawControls(room) {
    const { plan } = room;
    this.table.root.hidden = !plan;
    this.controls.replaceChildren(...(plan ? this.paceControls(room, plan) : this.startControls()));
  }

  startControls() {
    const options = (/** @type {import("./desk.js").LessonChoice[]} */ lessons) =>
      lessons.map(({ name, title }) => element("option", { value: name }, title));
    const own = element("optgroup", { label: message("lessons_own") }, options(this.own));
    const course = element("optgroup", { label: message("lessons_course") }, options(this.lessons));
    const choice = element(
      "select",
      { ariaLabel: message("lesson_title") },
      this.own.length ? [own, course] : options(this.lessons),
    );
    const start = () => this.setPlan(choice.value, 1, 1);
    const file = element("input", { type: "file", accept: ".toml", hidden: true });
    file.onchange = async () => {
      await this.addFile(file.files?.[0]);
      file.value = ""; // the corrected file can have the same name
    };
    return [
      element("p", message("lesson_words")),
      element(
        "div.acts",
        choice,
        button(message("lesson_start"), start, { className: "main" }),
        button(message("lesson_add"), () => file.click()),
        file,
      ),
      element("p.small", message("lesson_help")),
    ];
  }

  /** Load the lessons that the teacher has added to the room. */
  async loadOwn() {
    const options = { token: this.token, method: "GET" };
    const { status, body } = await callApi(`/${this.code}/lessons`, options);
    if (status !== 200 || !body.length) return;
    const nothing = { concepts: [], sources: [], errors: [] };
    this.own = body.map((/** @type {object} */ lesson) => ({ ...lesson, ...nothing }));
    if (this.room && !this.room.plan) this.drawControls(this.room);
  }

  /** @param {File | undefined} file of a lesson */
  async addFile(file) {
    if (!file) return;
    const text = file.size > 4 * MAX_LESSON ? null : await file.text(); // UTF-8: at most 4 bytes
    if (text === null || text.length > MAX_LESSON) {
      this.setAlert(message("lesson_large", { count: MAX_LESSON }));
      return;
    }
    await this.addLesson({ text });
  }

  /** @param {SavedQuestion[]} questions each becomes a step */
  async addQuestions(questions) {
    const title = window.prompt(message("as_lesson_title"), message("prepared_title"));
    if (title) await this.addLesson({ title: title.slice(0, MAX_TITLE), questions });
  }

  /** @param {object} body of the request */
  async addLesson(body) {
    const response = await callApi(`/${this.code}/lessons`, { token: this.token, body });
    const error = errorMessage(response);
    this.setAlert(error || message("lesson_added", { title: response.body.title }));
    if (!error) await this.loadOwn();
  }

  /** @param {RoomState} room @param {RoomPlan} plan */
  paceControls(room, plan) {
    const { lesson, first, last, views } = plan;
    const steps = (/** @type {string} */ name, /** @type {number} */ value) =>
      element(
        "label",
        message(name),
        element(
          "select",
          { onchange: (/** @type {any} */ { target }) => this.choose(name, Number(target.value)) },
          range(views.length).map((i) =>
            element("option", { value: i + 1, selected: i + 1 === value }, String(i + 1)),
          ),
        ),
      );
    const csv = button(message("work_csv"), () => this.saveWork());
    const title = element("b", plan.title);
    if (room.ended) return [element("p", title), element("div.acts", csv)];
    const one = (/** @type {number} */ step) => this.setPlan(lesson, step, step);
    const away = openPlan(room) ? "" : message("plan_away");
    return [
      element("p", title, ` · ${stepsInWords(plan)}.`, ` ${away}`),
      element(
        "div.acts",
        button(message("step_back"), () => one(first - 1), { disabled: first === 1 }),
        button(message("step_on"), () => one(last + 1), {
          disabled: last === views.length,
          className: "main",
        }),
        steps("first_step", first),
        steps("last_step", last),
        button(message("all_steps"), () => this.setPlan(lesson, 1, views.length)),
        button(message(room.paused === null ? "pause" : "unpause"), () => this.pause(room)),
        csv,
        button(message("lesson_end"), () => this.setPlan(null, 1, 1), { className: "end" }),
      ),
    ];
  }

  /** @param {string} name of the end that changes @param {number} step */
  choose(name, step) {
    const plan = this.room?.plan;
    if (!plan) return;
    if (name === "first_step") this.setPlan(plan.lesson, step, Math.max(step, plan.last));
    else this.setPlan(plan.lesson, Math.min(step, plan.first), step);
  }

  /** @param {string | null} lesson null ends the lesson @param {number} first @param {number} last */
  setPlan(lesson, first, last) {
    return this.post("/plan", { lesson, first, last });
  }

  /** @param {RoomState} room */
  pause(room) {
    const text = askPause(room);
    if (text !== undefined) this.post("/pause", { message: text });
  }

  async saveWork() {
    const text = await this.loadCsv();
    if (text !== null) save(`headlight_${this.code}_lesson.csv`, "text/csv", text);
  }

  /** @returns {Promise<string | null>} the answers to all lessons of the room; null after an error */
  async loadCsv() {
    const response = await callApi(`/${this.code}/work.csv`, { token: this.token, method: "GET" });
    const error = errorMessage(response);
    this.setAlert(error);
    return error ? null : response.body.text;
  }
}
