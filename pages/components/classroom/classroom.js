// The room that this browser is in, on every page: a strip below it, and over it what is asked.
// Nothing is seen of it elsewhere.

import { mount } from "../common/mount.js";
import { make } from "./bits.js";
import { memberOf, roomHere } from "./kept.js";
import { Student } from "./student.js";
import { Teacher } from "./teacher.js";
import { Line } from "./line.js";

const OFTEN = 250; // milliseconds between two looks at the address

/* global STYLE -- classroom.css, which comes with this script */

/** @typedef {{ words: Record<string, string> }} ClassroomData */

/** @implements {Drawing<ClassroomData>} */
class Classroom {
  /**
   * @param {HTMLElement} root
   * @param {AbortSignal} signal
   */
  constructor(root, signal) {
    this.root = root;
    window.addEventListener("headlight-room", () => this.enter(), { signal });
    // Another window of this browser has entered the room, left it, or kept an answer.
    window.addEventListener("storage", ({ key }) => key === "headlight.room" && this.enter(), {
      signal,
    });
    signal.addEventListener("abort", () => this.leave());
  }

  /** @param {Component<ClassroomData>} component */
  receive({ data }) {
    this.words = data.words;
    if (this.begun) return;
    this.begun = true;
    this.root.before(make("style", {}, STYLE));
    this.enter();
  }

  enter() {
    this.leave();
    const code = roomHere();
    const member = code && memberOf(code);
    if (!member) return;
    const Role = member.role === "teacher" ? Teacher : Student;
    this.part = new Role(this.root, this.words, code, member);
    const hear = (room) => this.hear(code, room);
    this.line = new Line(code, member.token, hear, (line) => this.changed(code, line));
    this.timer = setInterval(() => this.part.look(), OFTEN);
    document.documentElement.dataset.room = member.role;
  }

  /**
   * @param {string} code
   * @param {RoomState} room
   */
  hear(code, room) {
    tell(room);
    this.part.hear(room);
    if (room.ended) this.changed(code, "ended");
  }

  /**
   * @param {string} code
   * @param {LineState} line
   */
  changed(code, line) {
    this.part.lineIs(line);
    if (line !== "ended" && line !== "refused") return;
    this.line.end();
    clearInterval(this.timer);
  }

  leave() {
    this.line?.end();
    this.part?.end();
    this.line = this.part = null;
    clearInterval(this.timer);
    delete document.documentElement.dataset.room;
    tell(null);
  }
}

/** @param {RoomState | null} room */
function tell(room) {
  window.headlightRoom = room;
  window.dispatchEvent(new CustomEvent("headlight-room-state", { detail: room }));
}

/**
 * @param {Component<ClassroomData>} component
 * @returns {() => void}
 */
export default function (component) {
  return mount(component, ".classroom", Classroom);
}
