// What this browser stores of its rooms: the current room, its session tokens, and a draft answer.
// None of it identifies a person.

const CURRENT = "headlight.room";
const MEMBERSHIP = "headlight.room.";
const DRAFT = "headlight.draft.";
const PROBE = "headlight.probe";

/** @returns {string | null} the code of the room that this browser is in */
export function currentRoom() {
  return readStorage(CURRENT);
}

/** @param {string} code @returns {Membership | null} */
export function membershipOf(code) {
  return readStorage(MEMBERSHIP + code);
}

/** @param {string} code @param {Partial<Membership>} change */
export function updateMembership(code, change) {
  writeStorage(MEMBERSHIP + code, { ...membershipOf(code), ...change });
}

/** @param {string} code @param {Partial<Membership>} [change] */
export function enterRoom(code, change = {}) {
  updateMembership(code, change);
  setCurrentRoom(code);
}

/** @returns {boolean} false where the browser forbids storage: it cannot be in a room */
export function canStore() {
  writeStorage(PROBE, true);
  const stored = readStorage(PROBE) === true;
  writeStorage(PROBE, null);
  return stored;
}

/** @returns {string[]} the codes of the rooms that this browser has opened as a teacher */
export function taughtRooms() {
  return storedKeys()
    .filter((key) => key.startsWith(MEMBERSHIP))
    .map((key) => key.slice(MEMBERSHIP.length))
    .filter((code) => membershipOf(code)?.role === "teacher");
}

/** Leave the room but keep the membership, so that a member who returns keeps the same token. */
export function leaveRoom() {
  setCurrentRoom(null);
}

/** @param {string} code of a room that was deleted */
export function forgetRoom(code) {
  writeStorage(MEMBERSHIP + code, null);
  clearDraft(code);
  if (currentRoom() === code) leaveRoom();
}

/** @param {string | null} code */
function setCurrentRoom(code) {
  writeStorage(CURRENT, code);
  window.dispatchEvent(new Event("headlight-room"));
}

/**
 * The draft of an answer is chosen but not sent. It is valid in this tab for one round.
 *
 * @param {string} code
 * @param {RoomQuestion} question
 * @returns {any} undefined for none
 */
export function readDraft(code, { id, round }) {
  const draft = readStorage(DRAFT + code, "sessionStorage");
  return draft?.id === id && draft.round === round ? draft.answer : undefined;
}

/**
 * @param {string} code
 * @param {RoomQuestion} question
 * @param {unknown} answer undefined for none
 */
export function saveDraft(code, { id, round }, answer) {
  writeStorage(DRAFT + code, { id, round, answer }, "sessionStorage");
}

/** @param {string} code */
export function clearDraft(code) {
  writeStorage(DRAFT + code, null, "sessionStorage");
}

/** @returns {string[]} */
function storedKeys() {
  try {
    return Object.keys(window.localStorage);
  } catch {
    return [];
  }
}

/**
 * @param {string} key
 * @param {"localStorage" | "sessionStorage"} [storage]
 * @returns {any} null without an entry, or where storage is forbidden
 */
export function readStorage(key, storage = "localStorage") {
  try {
    return JSON.parse(window[storage].getItem(key) ?? "null");
  } catch {
    return null;
  }
}

/**
 * @param {string} key
 * @param {unknown} value null removes the entry
 * @param {"localStorage" | "sessionStorage"} [storage]
 */
export function writeStorage(key, value, storage = "localStorage") {
  try {
    if (value === null) window[storage].removeItem(key);
    else window[storage].setItem(key, JSON.stringify(value));
  } catch {
    // A browser that forbids storage cannot enter a room.
  }
}
