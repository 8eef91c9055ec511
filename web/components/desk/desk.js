// The Classroom page: open a room or join one; the teacher's controls, questions and results.

import { callApi, errorMessage } from "../classroom/api.js";
import { button, element, formatCode, message, setMessages } from "../classroom/dom.js";
import {
  canStore,
  currentRoom,
  enterRoom,
  forgetRoom,
  leaveRoom,
  membershipOf,
  taughtRooms,
} from "../classroom/membership.js";
import { addQuestions, parseFragment } from "../classroom/saved_questions.js";
import { openRoomPage } from "../classroom/view_links.js";
import { mount } from "../common/mount.js";
import { Collection } from "./collection.js";
import { invitation } from "./invitation.js";
import { LessonSection } from "./lesson_section.js";
import { QuestionList } from "./question_list.js";
import { saveArchive, saveResults, summary } from "./summary.js";

/**
 * @typedef {object} DeskData
 * @property {Record<string, string>} words
 * @property {string} origin of the server for other devices; "" for the origin of this page
 * @property {string} alone why other devices cannot reach the server; "" if they can
 * @property {string} codes URL that turns a text into a QR code
 * @property {LessonChoice[]} lessons
 */

/**
 * @typedef {object} LessonChoice
 * @property {string} name
 * @property {string} title
 * @property {string[]} concepts what each step tests; "" for nothing that a class compares
 * @property {string[]} sources where the error or the idea of each step was seen
 * @property {string[][]} errors the answers to each step that are documented errors
 */

/** @implements {Drawing<DeskData>} */
class Desk {
  /** @param {HTMLElement} root @param {AbortSignal} signal */
  constructor(root, signal) {
    this.root = root;
    this.data = /** @type {DeskData | null} */ (null);
    this.room = window.headlightRoom ?? null;
    this.alert = element("p.said", { role: "alert" });
    this.count = element("b.count");
    this.questions = /** @type {QuestionList | null} */ (null);
    this.lesson = /** @type {LessonSection | null} */ (null);
    this.collection = /** @type {Collection | null} */ (null);
    window.addEventListener("headlight-room", () => this.draw(), { signal });
    window.addEventListener("headlight-questions", () => this.questions?.draw(), { signal });
    const onState = (/** @type {CustomEvent<RoomState | null>} */ { detail }) =>
      this.setRoom(detail);
    window.addEventListener("headlight-room-state", onState, { signal });
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

  /** Act on a link: enter its room, with the teacher's token if it has one; add its questions. */
  async readAddress() {
    const { hash, search, pathname } = window.location;
    const token = new URLSearchParams(hash.slice(1)).get("teacher");
    const code = normalizeCode(new URLSearchParams(search).get("room") ?? "");
    // A projector must not show the token.
    if (hash) window.history.replaceState(window.history.state, "", pathname + search);
    if (hash.includes("questions=")) {
      const questions = await parseFragment(hash);
      const count = questions && addQuestions(questions);
      this.setAlert(message(questions ? "questions_added" : "questions_none", { count }));
    }
    if (!code) return;
    const membership = membershipOf(code);
    if (token) this.enter(code, { role: "teacher", token });
    else if (membership && currentRoom() === code) return;
    else if (membership?.role === "teacher") this.enter(code);
    else await this.join(code);
  }

  /** @param {string} code */
  async join(code) {
    if (!this.canEnter()) return; // the server would count a student who cannot take part
    const { token } = membershipOf(code) ?? {};
    const response = await callApi(`/${encodeURIComponent(code)}/join`, { token });
    const { student } = response.body;
    this.setAlert(student ? "" : errorMessage(response));
    if (student) this.enter(code, { role: "student", token: student });
  }

  /** @param {string} code @param {Partial<Membership>} [membership] */
  enter(code, membership) {
    if (this.canEnter()) enterRoom(code, membership);
  }

  /** @returns {boolean} whether this browser can be in a room; if not, an alert says why */
  canEnter() {
    const can = canStore();
    this.setAlert(can ? "" : message("error_storage"));
    return can;
  }

  async open() {
    if (!this.canEnter()) return;
    const response = await callApi("");
    const { code, teacher } = response.body;
    this.setAlert(code ? "" : errorMessage(response));
    if (!code) return;
    this.enter(code, { role: "teacher", token: teacher });
    openRoomPage(code);
  }

  /** @param {string} code @param {string} token */
  async end(code, token) {
    if (!window.confirm(message("end_sure"))) return;
    const response = await callApi(`/${code}`, { token, method: "DELETE" });
    this.setAlert(errorMessage(response));
  }

  /**
   * Delete the data of a room on the server and in this browser.
   *
   * @param {string} code
   * @param {string} token
   */
  async delete(code, token) {
    if (!window.confirm(message("delete_sure", { code: formatCode(code) }))) return;
    const response = await callApi(`/${code}/data`, { token, method: "DELETE" });
    const error = response.status === 404 ? "" : errorMessage(response);
    this.setAlert(error);
    if (error) return;
    forgetRoom(code);
    this.draw();
  }

  /** @param {string} text */
  setAlert(text) {
    this.alert.textContent = text;
  }

  /** @param {RoomState | null} room */
  setRoom(room) {
    const before = this.room;
    this.room = room;
    if (drawnFields(before) !== drawnFields(room)) this.draw();
    else {
      this.drawCount();
      this.passOn();
    }
  }

  draw() {
    if (!this.data) return;
    const code = currentRoom();
    const membership = code ? membershipOf(code) : null;
    this.questions = this.lesson = this.collection = null;
    let content;
    if (!code || !membership) content = this.entrance();
    else if (membership.role === "student") content = [this.studentSection(code)];
    else content = this.teacherSections(code, membership.token, this.data);
    this.root.replaceChildren(this.alert, ...content);
    this.drawCount();
    this.passOn();
  }

  /** Pass the state of the room on to the sections that show more than this page. */
  passOn() {
    if (this.room?.role !== "teacher") return;
    this.lesson?.receive(this.room);
    this.collection?.receive(this.room);
  }

  drawCount() {
    if (this.room?.role !== "teacher") return;
    this.count.textContent = message("connected", { count: this.room.connected ?? 0 });
  }

  /** @returns {HTMLElement[]} outside a room: join one, open one, and the saved questions */
  entrance() {
    const main = { className: "main" };
    const input = element("input.codebox", {
      maxLength: 20, // a code of twelve digits, with spaces or dashes
      autocomplete: "off",
      inputMode: "numeric",
      spellcheck: false,
      ariaLabel: message("code"),
      placeholder: message("code"),
    });
    const onsubmit = (/** @type {Event} */ event) => {
      event.preventDefault();
      const code = normalizeCode(input.value);
      if (code) this.join(code);
    };
    const form = element("form", { onsubmit }, input, element("button.main", message("join")));
    const open = button(message("open"), () => this.open(), main);
    const taught = taughtRooms().map((each) =>
      element(
        "li",
        element("b", formatCode(each)),
        button(message("enter"), () => this.enter(each)),
        button(message("delete"), () => this.delete(each, membershipOf(each)?.token ?? "")),
      ),
    );
    return [
      element("div.two", titled("join", form), titled("open", open)),
      ...(taught.length
        ? [element("section.taught", element("h2", message("taught_title")), element("ul", taught))]
        : []),
      this.questionSection(null),
    ];
  }

  /** @param {string} code */
  studentSection(code) {
    const { ended, gone } = this.room ?? {};
    const state = gone ? "line_refused" : ended ? "line_ended" : "student_words";
    return element(
      "section",
      element("h2", message("room", { code: formatCode(code) })),
      element("p", message(state)),
      !ended && !gone && element("p", message("until", { time: inWords(this.room?.ends) })),
      !ended && !gone && this.nameForm(code),
      button(message("leave"), () => (ended ? forgetRoom(code) : leaveRoom())),
    );
  }

  /** @param {string} code */
  nameForm(code) {
    const input = element("input", { maxLength: 40, ariaLabel: message("own_name") });
    const onsubmit = async (/** @type {Event} */ event) => {
      event.preventDefault();
      const token = membershipOf(code)?.token;
      const response = await callApi(`/${code}/name`, { token, body: { name: input.value } });
      this.setAlert(errorMessage(response) || message("name_stored"));
    };
    const send = element("button", message("send_name"));
    return element("form.acts", { onsubmit }, element("label", message("own_name"), input), send);
  }

  /** @param {string} code @param {string} token @param {DeskData} data @returns {HTMLElement[]} */
  teacherSections(code, token, data) {
    const results = element("section.summary");
    const save = async () => this.setAlert(await saveResults(code, token));
    const show = async () => results.replaceChildren(...(await summary(code, token)));
    const saveAll = async () => this.setAlert(await saveArchive(code, token));
    const buttons = [
      button(message("results"), save),
      button(message("save_all"), saveAll),
      button(message("summary"), show),
    ];
    if (this.room?.room === code && this.room.ended) {
      buttons.push(button(message("delete"), () => this.delete(code, token), { className: "end" }));
      buttons.push(button(message("leave"), leaveRoom));
      show();
      const title = message("ended_title", { code: formatCode(code) });
      const sections = [element("h2", title), element("div.acts", buttons), results];
      if (!this.room.plan) return sections;
      this.lesson = new LessonSection(code, token, data.lessons, (text) => this.setAlert(text));
      return [...sections, this.lesson.section];
    }
    const shut = this.room?.shut ?? false;
    const door = async () =>
      this.setAlert(
        errorMessage(await callApi(`/${code}/switches`, { token, body: { shut: !shut } })),
      );
    buttons.push(button(message(shut ? "admit" : "shut"), door));
    buttons.push(button(message("end"), () => this.end(code, token), { className: "end" }));
    this.lesson = new LessonSection(code, token, data.lessons, (text) => this.setAlert(text));
    this.collection = new Collection(code, token, (text) => this.setAlert(text));
    return [
      invitation(code, token, data, this.count),
      ...(shut ? [element("p.alone", message("shut_words"))] : []),
      element("div.acts", buttons),
      this.endForm(code, token),
      results,
      this.lesson.section,
      this.collection.section,
      this.questionSection((question) => {
        const detail = { question, done: (/** @type {string} */ error) => this.setAlert(error) };
        window.dispatchEvent(new CustomEvent("headlight-ask", { detail }));
      }, code),
    ];
  }

  /** @param {string} code @param {string} token @returns {HTMLElement} when the room ends */
  endForm(code, token) {
    const value = this.room ? inputTime(this.room.ends) : "";
    const input = element("input", { type: "datetime-local", value, required: true });
    const onsubmit = async (/** @type {Event} */ event) => {
      event.preventDefault();
      const body = { ends: new Date(input.value).getTime() / 1000 };
      const response = await callApi(`/${code}/end`, { token, body });
      this.setAlert(response.status === 400 ? message("bad_end") : errorMessage(response));
    };
    const set = element("button", message("set_end"));
    return element("form.acts", { onsubmit }, element("label", message("open_until"), input), set);
  }

  /**
   * @param {((question: SavedQuestion) => void) | null} ask null outside a room
   * @param {string} [code] of the room
   */
  questionSection(ask, code) {
    const origin = this.data?.origin || window.location.origin;
    const { lesson } = this;
    const setAlert = (/** @type {string} */ text) => this.setAlert(text);
    const addLesson = lesson
      ? (/** @type {SavedQuestion[]} */ list) => lesson.addQuestions(list)
      : undefined;
    this.questions = new QuestionList(origin, ask, setAlert, code, addLesson);
    return this.questions.section;
  }
}

/** @param {RoomState | null} room @returns {string} what the page shows apart from the class's work */
function drawnFields(room) {
  return JSON.stringify([room?.room, room?.role, room?.ended, room?.ends, room?.shut]);
}

/** @param {string} [time] in ISO 8601 @returns {string} in local time, for a reader */
function inWords(time) {
  const format = new Intl.DateTimeFormat(undefined, { dateStyle: "full", timeStyle: "short" });
  return time ? format.format(new Date(time)) : "";
}

/** @param {string} time in ISO 8601 @returns {string} in local time, for an input */
function inputTime(time) {
  const date = new Date(time);
  const local = new Date(date.getTime() - date.getTimezoneOffset() * 60_000);
  return local.toISOString().slice(0, 16);
}

/** @param {string} typed a join code, perhaps with spaces and hyphens */
function normalizeCode(typed) {
  return typed.replace(/[\s-]/g, "").toUpperCase();
}

/**
 * @param {"join" | "open"} name of the messages
 * @param {HTMLElement} control
 */
function titled(name, control) {
  return element(
    "section",
    element("h2", message(`${name}_title`)),
    element("p", message(`${name}_words`)),
    control,
  );
}

/** @param {Component<DeskData>} component @returns {() => void} */
export default function (component) {
  return mount(component, ".desk", Desk);
}
