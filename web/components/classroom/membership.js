// What this browser stores of its rooms: the current room and its session tokens. None of it
// identifies a person.

import { readStorage, writeStorage } from "../common/storage.js";

const CURRENT = "headlight.room";
const MEMBERSHIP = "headlight.room.";
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

/**
 * Enter a room, or leave it with null. A membership stays: a member who returns keeps the token.
 *
 * @param {string | null} code
 * @param {Partial<Membership>} [change]
 */
export function enterRoom(code, change) {
  if (code && change) updateMembership(code, change);
  writeStorage(CURRENT, code);
  window.dispatchEvent(new Event("headlight-room"));
}

/** @returns {boolean} false where the browser forbids storage: it cannot be in a room */
export function canStore() {
  writeStorage(PROBE, true);
  const stored = readStorage(PROBE) === true;
  writeStorage(PROBE, null);
  return stored;
}

/** @param {string} code of a room that was deleted */
export function forgetRoom(code) {
  writeStorage(MEMBERSHIP + code, null);
  if (currentRoom() === code) enterRoom(null);
}
