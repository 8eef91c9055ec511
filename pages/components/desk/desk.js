// The rooms' own page: open one, join one; the teacher's own desk.

import { askRooms, inWords } from "../classroom/asking.js";
import { make, pressed, say, spelled } from "../classroom/bits.js";
import { enterRoom, forgetRoom, leaveRoom, memberOf, roomHere } from "../classroom/kept.js";
import { goTo } from "../classroom/places.js";
import { fromFragment, keepPrepared, preparedQuestions } from "../classroom/prepared.js";
import { mount } from "../common/mount.js";
import { handedOut } from "./handed_out.js";
import { List } from "./list.js";
import { saveResults, summaryOf } from "./summary.js";

/**
 * @typedef {object} DeskData
 * @property {Record<string, string>} words
 * @property {string} origin under which others find the server
 * @property {string} alone why nobody else can open a link; "" where others can
 * @property {string} codes where a text is made a QR code
 */

/** @implements {Drawing<DeskData>} */
class Desk {
  /**
   * @param {HTMLElement} root
   * @param {AbortSignal} signal
   */
  constructor(root, signal) {
    this.root = root;
    this.room = window.headlightRoom ?? null;
    window.addEventListener("headlight-room", () => this.draw(), { signal });
    window.addEventListener("headlight-questions", () => this.list?.draw(), { signal });
    const heard = ({ detail }) => this.hear(detail);
    window.addEventListener("headlight-room-state", heard, { signal });
    // A link to another room, opened where this page stands already.
    window.addEventListener("hashchange", () => this.arrive(), { signal });
  }

  /** @param {Component<DeskData>} component */
  receive({ data }) {
    this.data = data;
    this.words = data.words;
    if (this.arrived) return;
    this.arrived = true;
    this.draw();
    this.arrive();
  }

  /** What the link says: a room, the teacher's secret, a list of questions. */
  async arrive() {
    const { hash, search, pathname } = window.location;
    const secret = new URLSearchParams(hash.slice(1)).get("teacher");
    const code = (new URLSearchParams(search).get("room") ?? "").trim().toUpperCase();
    // Neither is to stand in the bar of a projector.
    if (hash) window.history.replaceState(window.history.state, "", pathname + search);
    const questions = await fromFragment(hash);
    if (questions) {
      keepPrepared([...preparedQuestions(), ...questions]);
      this.says(say(this.words.questions_added, { count: questions.length }));
    } else if (hash.includes("questions=")) this.says(this.words.questions_none);
    if (!code) return;
    if (secret) enterRoom(code, { role: "teacher", token: secret });
    else if (memberOf(code)?.role === "teacher") {
      if (roomHere() !== code) enterRoom(code, {});
    } else if (roomHere() !== code || !memberOf(code)) await this.join(code);
  }

  /** @param {string} code */
  async join(code) {
    const token = memberOf(code)?.token;
    const answer = await askRooms(`/${encodeURIComponent(code)}/join`, { token });
    if (answer.status >= 300 || !answer.said.student) {
      this.says(inWords(answer, this.words));
      return;
    }
    enterRoom(code, { role: "student", token: answer.said.student });
  }

  async open() {
    const answer = await askRooms("");
    const { code, teacher } = answer.said;
    if (answer.status >= 300 || !code) {
      this.says(inWords(answer, this.words));
      return;
    }
    enterRoom(code, { role: "teacher", token: teacher });
    goTo("/classroom", `room=${code}`);
  }

  /** @param {string} text */
  says(text) {
    this.said = text;
    this.root.querySelector(".said").textContent = text;
  }

  /** @param {RoomState | null} room */
  hear(room) {
    const before = this.room;
    this.room = room;
    const changed = before?.room !== room?.room || before?.ended !== room?.ended;
    if (changed || before?.role !== room?.role) this.draw();
    else this.update();
  }

  draw() {
    if (!this.data) return;
    const code = roomHere();
    const member = code ? memberOf(code) : null;
    this.count = make("b", { className: "count" });
    this.list = null;
    const said = make("p", { className: "said", role: "alert" }, this.said ?? "");
    let parts = this.outside();
    if (member?.role === "student") parts = this.asStudent(code);
    if (member?.role === "teacher") parts = this.asTeacher(code, member.token);
    this.root.replaceChildren(said, ...parts);
    this.update();
  }

  update() {
    if (this.room?.role !== "teacher") return;
    this.count.textContent = say(this.words.connected, { count: this.room.connected ?? 0 });
  }

  /** @returns {Node[]} of whoever is in no room */
  outside() {
    const { words } = this;
    const box = make("input", {
      className: "codebox",
      maxLength: 12,
      autocomplete: "off",
      inputMode: "numeric",
      spellcheck: false,
      ariaLabel: words.code,
      placeholder: words.code,
    });
    const form = make("form", {}, box, make("button", { className: "main" }, words.join));
    form.onsubmit = (event) => {
      event.preventDefault();
      const code = box.value.replace(/[\s-]/g, "").toUpperCase();
      if (code) this.join(code);
    };
    return [
      make(
        "div",
        { className: "two" },
        make(
          "section",
          {},
          make("h2", {}, words.join_title),
          make("p", {}, words.join_words),
          form,
        ),
        make(
          "section",
          {},
          make("h2", {}, words.open_title),
          make("p", {}, words.open_words),
          pressed(words.open, () => this.open(), { className: "main" }),
        ),
      ),
      this.prepared(null),
    ];
  }

  /** @param {string} code */
  asStudent(code) {
    const { words } = this;
    const ended = this.room?.ended;
    return [
      make(
        "section",
        {},
        make("h2", {}, say(words.room, { code: spelled(code) })),
        make("p", {}, ended ? words.line_ended : words.student_words),
        pressed(words.leave, () => (ended ? forgetRoom(code) : leaveRoom())),
      ),
    ];
  }

  /**
   * @param {string} code
   * @param {string} token
   */
  asTeacher(code, token) {
    const { words } = this;
    const ended = this.room?.room === code && this.room.ended;
    const summary = make("section", { className: "summary" });
    const show = () => summaryOf(summary, code, token, words);
    const acts = make(
      "div",
      { className: "acts" },
      pressed(words.results, () => saveResults(code, token, words, (wrong) => this.says(wrong))),
      pressed(words.summary, show),
    );
    if (ended) {
      acts.append(pressed(words.leave_for_good, () => forgetRoom(code)));
      show();
      return [make("h2", {}, say(words.ended_title, { code: spelled(code) })), acts, summary];
    }
    acts.append(pressed(words.end, () => this.end(code, token), { className: "end" }));
    return [
      handedOut(code, token, this.data, this.count),
      acts,
      summary,
      this.prepared((question, done) => {
        window.dispatchEvent(new CustomEvent("headlight-ask", { detail: { question, done } }));
      }),
    ];
  }

  /** @param {((question: any, done: (wrong: string) => void) => void) | null} ask */
  prepared(ask) {
    const section = make("section", { className: "prepared" });
    const says = (text) => this.says(text);
    this.list = new List(section, this.words, this.data.origin, ask, says);
    return section;
  }

  /**
   * Said twice before it is done.
   *
   * @param {string} code
   * @param {string} token
   */
  async end(code, token) {
    if (!window.confirm(this.words.end_sure)) return;
    const answer = await askRooms(`/${code}`, { token, method: "DELETE" });
    if (answer.status >= 400 || !answer.status) this.says(inWords(answer, this.words));
  }
}

/**
 * @param {Component<DeskData>} component
 * @returns {() => void}
 */
export default function (component) {
  return mount(component, ".desk", Desk);
}
