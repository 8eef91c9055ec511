// What this browser keeps of rooms: in which it is, and as whom. Nothing of it is about a person.

const HERE = "headlight.room";
const OF = "headlight.room.";
const DRAFT = "headlight.draft.";

/**
 * @typedef {object} Membership
 * @property {"teacher" | "student"} role
 * @property {string} token says to the server who one is
 * @property {boolean} [free] whether a student goes ways of their own
 * @property {Record<string, GivenAnswer>} [answers] by question and round
 */

/** @returns {string | null} the code of the room that this browser is in */
export function roomHere() {
  return stored(HERE);
}

/**
 * @param {string} code
 * @returns {Membership | null}
 */
export function memberOf(code) {
  return stored(OF + code);
}

/**
 * @param {string} code
 * @param {Partial<Membership>} what
 */
export function keepOf(code, what) {
  store(OF + code, { ...memberOf(code), ...what });
}

/**
 * @param {string} code
 * @param {Partial<Membership>} what
 */
export function enterRoom(code, what) {
  keepOf(code, what);
  store(HERE, code);
  changedRoom();
}

/** The room stays known: whoever comes back is the same as before. */
export function leaveRoom() {
  store(HERE, null);
  changedRoom();
}

/** @param {string} code of a room that is no more */
export function forgetRoom(code) {
  store(OF + code, null);
  keepDraft(code);
  if (roomHere() === code) leaveRoom();
}

/**
 * What was chosen and not sent yet, for as long as its question is open: of this tab, over a reload.
 *
 * @param {string} code
 * @param {RoomQuestion} question
 * @returns {any} undefined where nothing was
 */
export function draftOf(code, { id, round }) {
  const kept = stored(DRAFT + code, "sessionStorage");
  return kept?.id === id && kept.round === round ? kept.answer : undefined;
}

/**
 * @param {string} code
 * @param {RoomQuestion} [question]
 * @param {unknown} [answer] undefined keeps nothing
 */
export function keepDraft(code, question, answer) {
  const { id, round } = question ?? {};
  store(DRAFT + code, answer === undefined ? null : { id, round, answer }, "sessionStorage");
}

/**
 * @param {string} key
 * @param {"localStorage" | "sessionStorage"} [where]
 * @returns {any} null where nothing is kept, or storing is forbidden
 */
export function stored(key, where = "localStorage") {
  try {
    return JSON.parse(window[where].getItem(key));
  } catch {
    return null;
  }
}

/**
 * @param {string} key
 * @param {unknown} value null keeps nothing
 * @param {"localStorage" | "sessionStorage"} [where]
 */
export function store(key, value, where = "localStorage") {
  try {
    if (value === null) window[where].removeItem(key);
    else window[where].setItem(key, JSON.stringify(value));
  } catch {
    // A browser that keeps nothing can be in no room.
  }
}

function changedRoom() {
  window.dispatchEvent(new Event("headlight-room"));
}
