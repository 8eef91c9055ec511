// The teacher in a room: leads, locks, asks, reveals.

import { askRooms, inWords } from "./asking.js";
import { make, pressed, say } from "./bits.js";
import { AskingForm } from "./form.js";
import { forgetRoom } from "./kept.js";
import { Leader } from "./leading.js";
import { canBeShown, goTo, pageAtRest, sameView, viewHere } from "./places.js";
import { keepPrepared, preparedQuestions } from "./prepared.js";
import { Sheet } from "./sheet.js";
import { over, Strip } from "./strip.js";

export class Teacher {
  /**
   * @param {HTMLElement} root
   * @param {Record<string, string>} words
   * @param {string} code
   * @param {import("./kept.js").Membership} member
   */
  constructor(root, words, code, member) {
    this.words = words;
    this.code = code;
    this.token = member.token;
    this.room = /** @type {RoomState | null} */ (null);
    this.line = /** @type {LineState} */ ("connecting");
    this.ended = new AbortController();
    const tell = (view) => this.send("/view", { address: view });
    this.leader = new Leader({ here: viewHere, atRest: pageAtRest, tell });
    const ask = ({ detail }) => this.askPrepared(detail);
    window.addEventListener("headlight-ask", ask, { signal: this.ended.signal });
    this.build(root);
    this.draw();
  }

  /** @param {HTMLElement} root */
  build(root) {
    const { words } = this;
    this.lock = pressed("", () => this.send("/lock", { locked: !this.room.locked }));
    this.desk = make("a", { href: "/classroom", target: "_self" }, words.desk);
    this.desk.onclick = (event) => {
      event.preventDefault();
      goTo("/classroom", `room=${this.code}`);
    };
    this.ask = pressed(words.ask, () => this.openForm(), { className: "main" });
    this.leave = pressed(words.leave, () => forgetRoom(this.code));
    const { ask, lock, desk, leave } = this;
    this.strip = new Strip(root, words, this.code, ask, lock, desk, leave);
    this.sheet = new Sheet(root.querySelector("dialog.asked"), words, {
      answer: () => {},
      lead: (what) => this.send(`/questions/${this.room.question.id}/${what}`),
      test: (address) => this.test(address),
      given: () => undefined,
      draft: () => undefined,
      drafted: () => {},
    });
    this.form = new AskingForm(root.querySelector("dialog.asking"), words, {
      ask: (question) => this.post(question),
      keep: (question) => keepPrepared([...preparedQuestions(), question]),
    });
  }

  /** @param {RoomState} room */
  hear(room) {
    this.room = room;
    this.leader.hear(room.view);
    this.draw();
  }

  /** @param {LineState} line */
  lineIs(line) {
    this.line = line;
    this.draw();
  }

  /** To be called some times a second. */
  look() {
    if (this.room && !this.room.ended) this.leader.look();
  }

  /**
   * @param {string} path
   * @param {object} [body]
   */
  async send(path, body = {}) {
    const answer = await askRooms(`/${this.code}${path}`, { token: this.token, body });
    this.said = answer.status >= 400 || !answer.status ? inWords(answer, this.words) : "";
    this.draw();
    return answer;
  }

  async openForm() {
    const view = viewHere();
    const path = `/${this.code}/about?view=${encodeURIComponent(view)}`;
    const about = canBeShown(view)
      ? await askRooms(path, { token: this.token, method: "GET" })
      : { status: 200, said: {} };
    this.form.open(view, about.status === 200 ? about.said : {});
  }

  /**
   * @param {any} question
   * @returns {Promise<string>} what went wrong
   */
  async post(question) {
    const answer = await this.send("/questions", question);
    return answer.status === 200 || answer.status === 201 ? "" : inWords(answer, this.words);
  }

  /**
   * A question of the list is asked of its own view, which everybody goes to.
   *
   * @param {{ question: any, done: (wrong: string) => void }} asked
   */
  async askPrepared({ question, done }) {
    const own = { ...question, view: question.view || "/" };
    if (canBeShown(own.view) && !sameView(own.view, viewHere())) {
      goTo(own.view);
      await this.leader.tell(own.view);
    }
    done(await this.post(own));
  }

  /** @param {string} address */
  async test(address) {
    await this.send(`/questions/${this.room.question.id}/close`);
    goTo(address);
  }

  draw() {
    const { words, room, line } = this;
    const out = over(line);
    const connection = line === "connected" ? "" : words[`line_${line}`];
    const connected = room && !out ? say(words.connected, { count: room.connected ?? 0 }) : "";
    this.strip.say([connected, connection, this.said].filter(Boolean).join(" · "), line);
    this.lock.textContent = room?.locked ? words.unlock : words.lock;
    this.lock.hidden = this.ask.hidden = out || !room;
    this.sheet.show(out ? null : room, connection);
    this.leave.hidden = !out;
    if (out) this.desk.textContent = words.summary;
  }

  end() {
    this.ended.abort();
    this.sheet.show(null, "");
    this.form.dialog.close();
    this.strip.end();
  }
}
