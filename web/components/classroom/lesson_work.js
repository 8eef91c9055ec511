// A student's work on the lesson of a room: opens its steps, and reports the first answers.

import { progress } from "../common/progress.js";
import { AnswerOutbox } from "./answer_outbox.js";
import { callApi } from "./api.js";
import { message } from "./dom.js";
import { browser } from "./view_links.js";

export class LessonWork {
  /** @param {string} code of the room @param {string} token @param {AbortSignal} signal ends it */
  constructor(code, token, signal) {
    this.plan = /** @type {RoomPlan | null} */ (null);
    this.open = "";
    this.pending = /** @type {string | undefined} */ (undefined);
    const send = (/** @type {string} */ place, /** @type {any} */ work) =>
      callApi(`/${code}/work`, { token, body: { ...parsePlace(place), ...work } });
    this.outbox = new AnswerOutbox(code, "work", send, () => {}, signal);
    window.addEventListener("headlight-step", ({ detail }) => this.answer(detail), { signal });
  }

  /** @param {RoomState} room */
  receive(room) {
    this.plan = openPlan(room);
    const open = this.plan ? `${this.plan.lesson}.${this.plan.step}` : "";
    // Only a change of the open steps moves a student.
    if (open !== this.open) this.pending = this.viewToOpen();
    this.open = open;
    this.outbox.flush();
    if (window.headlightStep) this.answer(window.headlightStep);
  }

  /** Open the step that waits. Called several times a second. */
  poll() {
    if (!this.plan || this.pending === undefined || !browser.isIdle()) return;
    const view = this.pending;
    this.pending = undefined;
    browser.open(view);
  }

  /** @returns {string | undefined} undefined if the page shows an open step, or without a lesson */
  viewToOpen() {
    const { plan } = this;
    const here = new URL(browser.currentView(), "http://headlight").searchParams.get("lesson");
    if (!plan || openStep(plan, here)) return undefined;
    return plan.views[(openStep(plan, progress().at) ?? plan.step ?? 1) - 1];
  }

  /** @param {LessonStep} step as the strip of the lesson shows it */
  answer({ lesson, step, answer, outcome }) {
    if (outcome === "seen" || outcome === "again" || this.plan?.lesson !== lesson) return;
    this.outbox.add(`${lesson}.${step}`, { answer, right: outcome === "right" });
  }
}

/** @param {RoomState | null | undefined} room @returns {RoomPlan | null} while students work on it */
export function openPlan(room) {
  return room?.mode === "free" && !room.ended ? room.plan : null;
}

/** @param {RoomPlan} plan @returns {string} the open steps */
export function stepsInWords({ step, views }) {
  return message(step === null ? "every_step" : "one_step", { first: step, steps: views.length });
}

/**
 * @param {RoomPlan} plan
 * @param {string | null | undefined} place
 * @returns {number | undefined} the step of a place; undefined unless it is open
 */
function openStep(plan, place) {
  const { lesson, step } = parsePlace(place ?? "");
  return lesson === plan.lesson && step === (plan.step ?? step) ? step : undefined;
}

/** @param {string} place lesson and step, as in "masks.2" @returns {{ lesson: string, step: number }} */
function parsePlace(place) {
  const [lesson, step = "1"] = place.split(".");
  return { lesson, step: Number(step) };
}
