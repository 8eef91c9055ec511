// The Classroom page: open a room or join one; the teacher's controls and results.

import { callApi, errorMessage } from "../classroom/api.js";
import { button, build, formatCode, message, setMessages } from "../classroom/dom.js";
import {
  canStore,
  currentRoom,
  enterRoom,
  forgetRoom,
  membershipOf,
} from "../classroom/membership.js";
import { stepsInWords } from "../classroom/lesson_work.js";
import { openRoomPage, openView } from "../classroom/view_links.js";
import { mount } from "../common/mount.js";
import { save } from "../common/saving.js";
import { presenting } from "../common/stage.js";
import { invitation } from "./invitation.js";

/**
 * @typedef {object} DeskData
 * @property {Record<string, string>} words
 * @property {string} origin of the server for other devices; "" for the origin of this page
 * @property {string} alone why other devices cannot reach the server; "" if they can
 * @property {string} codes URL that turns a text into a QR code
 * @property {{ name: string, title: string }[]} lessons
 */

/** @implements {Drawing<DeskData>} */
class Desk {
  /** @param {HTMLElement} root @param {AbortSignal} signal */
  constructor(root, signal) {
    this.root = root;
    this.data = /** @type {DeskData | null} */ (null);
    this.room = window.headlightRoom ?? null;
    this.alert = build("p.error", { role: "alert" });
    this.count = build("b.count");
    /** How many students have answered each step of the lesson. */
    this.steps = build("ol");
    window.addEventListener("headlight-room", () => this.draw(), { signal });
    this.large = false;
    const onPresent = () => this.large !== presenting() && this.draw();
    window.addEventListener("headlight-present", onPresent, { signal });
    window.addEventListener("headlight-room-state", (event) => this.setRoom(event.detail), {
      signal,
    });
    // A link to another room, opened while this page is shown.
    window.addEventListener("hashchange", () => this.readAddress(), { signal });
  }

  /** @param {Component<DeskData>} component */
  receive({ data }) {
    setMessages(data.words);
    const first = !this.data;
    this.data = data;
    if (!first) return;
    this.draw();
    this.readAddress();
  }

  /** Act on a link: enter its room, with the teacher's token if it has one. */
  async readAddress() {
    const { hash, search, pathname } = window.location;
    const [, token] = /^#teacher=([\w.-]+)$/.exec(hash) ?? [];
    const code = normalizeCode(new URLSearchParams(search).get("room") ?? "");
    // A projector must not show the token.
    if (hash) window.history.replaceState(window.history.state, "", pathname + search);
    if (!code) return;
    const membership = membershipOf(code);
    if (membership && currentRoom() === code && !token) return;
    if (!token && membership?.role !== "teacher") await this.join(code);
    else if (this.canEnter()) enterRoom(code, token ? { role: "teacher", token } : {});
  }

  /** @param {string} code */
  async join(code) {
    if (!this.canEnter()) return; // the server would count a student who cannot take part
    const { student } = (await this.request(code, "/join")).body;
    if (student) enterRoom(code, { role: "student", token: student });
  }

  /** @returns {boolean} whether this browser can be in a room; if not, an alert says why */
  canEnter() {
    const can = canStore();
    this.alert.textContent = can ? "" : message("error_storage");
    return can;
  }

  async open() {
    if (!this.canEnter()) return;
    const response = await callApi("");
    const { code, teacher } = response.body;
    this.alert.textContent = code ? "" : errorMessage(response);
    if (!code) return;
    enterRoom(code, { role: "teacher", token: teacher });
    openRoomPage(code);
  }

  /**
   * Call the API of a room with this browser's token, and show an error.
   *
   * @param {string} code
   * @param {string} path
   * @param {{ method?: string, body?: object }} [options]
   */
  async request(code, path, options) {
    const { token } = membershipOf(code) ?? {};
    const response = await callApi(`/${encodeURIComponent(code)}${path}`, { token, ...options });
    this.alert.textContent = errorMessage(response);
    return response;
  }

  /** Delete the data of a room on the server and in this browser. @param {string} code */
  async delete(code) {
    if (!window.confirm(message("delete_sure", { code: formatCode(code) }))) return;
    const { status } = await this.request(code, "/data", { method: "DELETE" });
    if (status !== 404 && status !== 204) return;
    this.alert.textContent = "";
    forgetRoom(code);
    this.draw();
  }

  /** @param {string} code */
  async saveResults(code) {
    const { status, body } = await this.request(code, "/results.csv", { method: "GET" });
    if (status === 200) save(`headlight_${code}.csv`, "text/csv", body.text);
  }

  /** @param {RoomState | null} room */
  setRoom(room) {
    const before = this.room;
    this.room = room;
    if (room && this.alert.textContent === message("error_away")) this.alert.textContent = "";
    if (drawnFields(before) !== drawnFields(room)) this.draw();
    else this.update();
  }

  draw() {
    if (!this.data) return;
    const code = currentRoom();
    const membership = code ? membershipOf(code) : null;
    this.large = presenting();
    let content;
    if (!code || !membership) content = this.entrance();
    else if (membership.role === "student") content = [this.studentSection(code)];
    else content = this.teacherSections(code, membership.token, this.data);
    this.root.replaceChildren(this.alert, ...content);
    this.update();
  }

  /** Show what changes while the class works. */
  update() {
    if (this.room?.role !== "teacher") return;
    this.count.textContent = message("joined", { count: this.room.students ?? 0 });
    const lines = (this.room.work ?? []).map((work) => build("li", message("step_answers", work)));
    this.steps.replaceChildren(...lines);
  }

  /** @returns {HTMLElement[]} outside a room: join one or open one */
  entrance() {
    const code = message("code");
    const input = build("input.codebox", {
      maxLength: 20, // with spaces or dashes
      autocomplete: "off",
      inputMode: "numeric",
      required: true,
      ariaLabel: code,
      placeholder: code,
    });
    const onsubmit = (/** @type {Event} */ event) => {
      event.preventDefault();
      const code = normalizeCode(input.value);
      if (code) this.join(code);
    };
    const form = build("form", { onsubmit }, input, build("button.main", message("join")));
    const open = button(message("open"), () => this.open(), { className: "main" });
    return [build("div.two", titled("join", form), titled("open", open))];
  }

  /** @param {string} code */
  studentSection(code) {
    const { ended, gone } = this.room ?? {};
    const state = gone ? "line_refused" : ended ? "line_ended" : "student_words";
    const title = build("h2", message("room", { code: formatCode(code) }));
    return build("section", title, build("p", message(state)));
  }

  /** @param {string} code @param {string} token @param {DeskData} data @returns {HTMLElement[]} */
  teacherSections(code, token, data) {
    const ended = this.room?.room === code && this.room.ended;
    const top = ended
      ? build("h2", message("room", { code: formatCode(code) }), " · ", message("line_ended"))
      : invitation(code, token, data, this.count, this.large);
    if (this.large && !ended) return [top]; // a projector shows no answers
    const end = () =>
      window.confirm(message("end_sure")) && this.request(code, "", { method: "DELETE" });
    const acts = build(
      "div.acts",
      button(message("results"), () => this.saveResults(code)),
      ended ? button(message("delete"), () => this.delete(code)) : button(message("end"), end),
    );
    return ended && !this.room?.plan ? [top, acts] : [top, acts, this.lessonSection(code, data)];
  }

  /** A lesson; the bar opens its steps one by one. @param {string} code @param {DeskData} data */
  lessonSection(code, { lessons }) {
    const { plan, ended } = this.room ?? {};
    const set = (/** @type {string | null} */ lesson, /** @type {number | null} */ step) =>
      this.request(code, "/plan", { body: { lesson, step } });
    const title = build("h2", message("lesson_title"));
    if (!plan) {
      const options = lessons.map(({ name, title }) => build("option", { value: name }, title));
      const choice = build("select", { ariaLabel: message("lesson_title") }, options);
      const start = () => set(choice.value, 1);
      const begin = button(message("lesson_start"), start, { className: "main" });
      return build("section.lesson", title, build("div.acts", choice, begin));
    }
    const controls = build(
      "div.acts",
      button(message("show_lesson"), () => openView(plan.views[(plan.step ?? 1) - 1])),
      button(message("all_steps"), () => set(plan.lesson, null), { disabled: plan.step === null }),
      button(message("lesson_end"), () => set(null, null)),
    );
    const open = build("p", build("b", plan.title), ` · ${stepsInWords(plan)}.`);
    return build("section.lesson", title, open, !ended && controls, this.steps);
  }
}

/** @param {RoomState | null} room @returns {string} what the page shows apart from the class's work */
function drawnFields(room) {
  return JSON.stringify([room?.room, room?.role, room?.ended, room?.plan]);
}

/** @param {string} typed a join code, perhaps with spaces and hyphens */
function normalizeCode(typed) {
  return typed.replace(/[\s-]/g, "");
}

/** @param {"join" | "open"} name of the messages @param {HTMLElement} control */
function titled(name, control) {
  const [title, words] = [message(`${name}_title`), message(`${name}_words`)];
  return build("section", build("h2", title), build("p", words), control);
}

export default mount(".desk", Desk);
