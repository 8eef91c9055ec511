// The room of this browser, on every page: a bar at the bottom, and a dialog for each question.
// Outside a room it draws nothing.

import { mount } from "../common/mount.js";
import { RoomConnection } from "./connection.js";
import { build, setMessages } from "./dom.js";
import { currentRoom, membershipOf } from "./membership.js";
import { Student } from "./student.js";
import { Teacher } from "./teacher.js";

const POLL_INTERVAL = 250; // milliseconds

/* global STYLE -- classroom.css, which comes with this script */

/** @typedef {{ words: Record<string, string> }} ClassroomData */

/** @implements {Drawing<ClassroomData>} */
class Classroom {
  /** @param {HTMLElement} root @param {AbortSignal} signal */
  constructor(root, signal) {
    this.root = root;
    this.started = false;
    const enter = () => this.enter();
    window.addEventListener("headlight-room", enter, { signal });
    // Another tab has entered the room or left it.
    const onStorage = (/** @type {StorageEvent} */ { key }) => key === "headlight.room" && enter();
    window.addEventListener("storage", onStorage, { signal });
    signal.addEventListener("abort", () => this.leave());
  }

  /** @param {Component<ClassroomData>} component */
  receive({ data }) {
    setMessages(data.words);
    if (this.started) return;
    this.started = true;
    this.root.before(build("style", STYLE));
    this.enter();
  }

  enter() {
    this.leave();
    const code = currentRoom();
    const membership = code && membershipOf(code);
    if (!membership) return;
    const Role = membership.role === "teacher" ? Teacher : Student;
    const participant = new Role(this.root, code, membership);
    this.participant = /** @type {Teacher | Student | null} */ (participant);
    const receive = (/** @type {RoomState} */ room) => {
      publishState(room);
      participant.receive(room);
      if (room.ended) this.setConnection("ended");
    };
    const { token } = membership;
    const set = (/** @type {ConnectionState} */ state) => this.setConnection(state);
    this.connection = new RoomConnection(code, token, receive, set);
    this.interval = setInterval(() => participant.poll(), POLL_INTERVAL);
    document.documentElement.dataset.room = membership.role;
  }

  /** @param {ConnectionState} state */
  setConnection(state) {
    const { participant } = this;
    participant?.setConnection(state);
    if (state === "refused" && participant) {
      const { room, code, role } = participant;
      // The server does not know the room any more.
      const gone = { role, room: code, question: null, ended: true, gone: true };
      publishState(/** @type {RoomState} */ ({ ...room, ...gone }));
    }
    if (participant?.isOver) this.disconnect();
  }

  disconnect() {
    this.connection?.close();
    clearInterval(this.interval);
  }

  leave() {
    this.disconnect();
    this.participant?.remove();
    this.participant = null;
    delete document.documentElement.dataset.room;
    publishState(null);
  }
}

/** @param {RoomState | null} room */
function publishState(room) {
  window.headlightRoom = room;
  window.dispatchEvent(new CustomEvent("headlight-room-state", { detail: room }));
}

export default mount(".classroom", Classroom);
