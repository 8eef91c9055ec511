// Snapshots: views that a teacher collects to compare them on the projector. This browser stores them.

import { membershipOf, updateMembership } from "./membership.js";

const MAX_SNAPSHOTS = 50;

/** @typedef {{ view: string, label: string }} Snapshot a link to a view, and a name for it */

/** @param {string} code of the room @returns {Snapshot[]} */
export function snapshotsOf(code) {
  return membershipOf(code)?.snapshots ?? [];
}

/** @param {string} code of the room @param {Snapshot[]} snapshots */
export function saveSnapshots(code, snapshots) {
  updateMembership(code, { snapshots: snapshots.slice(-MAX_SNAPSHOTS) });
  window.dispatchEvent(new Event("headlight-snapshots"));
}

/**
 * Collect a view, unless the room has it under the same name.
 *
 * @param {string} code of the room
 * @param {Snapshot} snapshot
 */
export function collect(code, { view, label }) {
  const others = snapshotsOf(code).filter((each) => each.view !== view || each.label !== label);
  saveSnapshots(code, [...others, { view, label }]);
}
