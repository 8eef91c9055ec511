// What a teacher and a student in a room have in common: the bar, the question, the connection.

import { find } from "../common/find.js";
import { button, build, formatCode, message } from "./dom.js";
import { QuestionDialog } from "./question_dialog.js";
import { browser, currentView, isCovered, isShareable, sameView } from "./view_links.js";
import { ViewFollower } from "./view_sync.js";

export class Participant {
  /** @param {HTMLElement} root @param {string} code @param {Membership} membership */
  constructor(root, code, membership) {
    this.code = code;
    this.token = membership.token;
    this.role = membership.role;
    this.room = /** @type {RoomState | null} */ (null);
    this.connection = /** @type {ConnectionState} */ ("connecting");
    this.removed = new AbortController();
    /** Of a student, or of a second device of the teacher, such as a projector. */
    this.follower = new ViewFollower({ ...browser, now: () => performance.now() });
    /** The bar at the bottom of every page. */
    this.bar = find(root, ".strip");
    this.status = build("span.state", { role: "status" });
    this.bar.replaceChildren(build("b", message("room", { code: formatCode(code) })), this.status);
    this.bar.hidden = false;
    // A popover is above the elements that the page opens, where the browser supports it.
    if (!this.bar.matches(":popover-open")) this.bar.showPopover?.();
    const actions = /** @type {any} */ (this); // a teacher or a student
    this.dialog = new QuestionDialog(find(root, "dialog.question", HTMLDialogElement), actions);
    /** Opens the question again that this browser has hidden to look at the page. */
    this.back = button(message("to_question"), () => this.dialog.hide(false), {
      className: "main",
    });
  }

  /** The room has ended, or it no longer knows this browser. */
  get isOver() {
    return this.connection === "ended" || this.connection === "refused";
  }

  /** Whether the view that waits may open: during an open question, only the question's own. */
  get mayFollow() {
    const question = this.room?.question;
    const { pending = "" } = this.follower;
    return question?.state !== "open" || sameView(pending, question.view ?? "");
  }

  /** @param {ConnectionState} state */
  setConnection(state) {
    this.connection = state;
    this.draw();
  }

  draw() {}

  /** @param {string} status of the bar @param {string} connection in words, above a question */
  show(status, connection) {
    this.status.textContent = status;
    this.bar.dataset.connection = this.connection;
    this.dialog.show(this.isOver ? null : this.room, connection);
    this.back.hidden = this.isOver || !this.dialog.isHidden;
    const { view = null, mode = "free" } = (!this.isOver && this.room) || {};
    // The view may show the answer to the question that is being prepared.
    const covers = isCovered(view) && isShareable(currentView());
    const follows = this.role === "teacher" || mode === "follow";
    document.documentElement.toggleAttribute("data-covered", covers && follows);
  }

  remove() {
    this.removed.abort();
    this.dialog.show(null, "");
    if (this.bar.matches(":popover-open")) this.bar.hidePopover();
    document.documentElement.removeAttribute("data-covered");
    this.bar.hidden = true;
    this.bar.replaceChildren();
  }
}
