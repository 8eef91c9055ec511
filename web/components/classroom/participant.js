// What a teacher and a student in a room have in common: the bar, the question, the connection.

import { QuestionDialog } from "./question_dialog.js";
import { RoomBar } from "./room_bar.js";

export class Participant {
  /** @param {HTMLElement} root @param {string} code @param {Membership} membership */
  constructor(root, code, membership) {
    this.code = code;
    this.token = membership.token;
    this.room = /** @type {RoomState | null} */ (null);
    this.connection = /** @type {ConnectionState} */ ("connecting");
    this.removed = new AbortController();
    this.bar = new RoomBar(root, code);
    const dialog = /** @type {HTMLDialogElement} */ (root.querySelector("dialog.question"));
    this.dialog = new QuestionDialog(dialog, this);
  }

  /** The room has ended, or it no longer knows this browser. */
  get isOver() {
    return this.connection === "ended" || this.connection === "refused";
  }

  /** @param {RoomState} room */
  receive(room) {
    this.room = room;
    this.draw();
  }

  /** @param {ConnectionState} state */
  setConnection(state) {
    this.connection = state;
    this.draw();
  }

  draw() {}

  /** Called several times a second. */
  poll() {}

  /**
   * Open the view that switches the right head off.
   *
   * @param {string} _address
   * @param {RoomQuestion} _question
   */
  test(_address, _question) {}

  remove() {
    this.removed.abort();
    this.dialog.show(null, "");
    this.bar.remove();
  }
}
