// What this browser keeps of rooms: in which it is, and as whom. Nothing of it is about a person.

const HERE = "headlight.room";
const OF = "headlight.room.";

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
  if (roomHere() === code) leaveRoom();
}

/**
 * @param {string} key
 * @returns {any} null where nothing is kept, or storing is forbidden
 */
export function stored(key) {
  try {
    return JSON.parse(localStorage.getItem(key));
  } catch {
    return null;
  }
}

/**
 * @param {string} key
 * @param {unknown} value null keeps nothing
 */
export function store(key, value) {
  try {
    if (value === null) localStorage.removeItem(key);
    else localStorage.setItem(key, JSON.stringify(value));
  } catch {
    // A browser that keeps nothing can be in no room.
  }
}

function changedRoom() {
  window.dispatchEvent(new Event("headlight-room"));
}
