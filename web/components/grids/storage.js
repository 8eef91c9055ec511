// Answers in the browser's storage, by set of exercises. No link contains them.

import { readStorage, writeStorage } from "../common/storage.js";

const KEY = "headlight.practice.";

/** @param {string} set @returns {Record<string, GridCells>} by exercise; empty if forbidden */
export function readAnswers(set) {
  return readStorage(KEY + set) ?? {};
}

/** @param {string} set @param {string} item the exercise @param {GridCells} cells */
export function storeAnswers(set, item, cells) {
  writeStorage(KEY + set, { ...readAnswers(set), [item]: cells });
}

/** @param {string} set */
export function deleteAnswers(set) {
  writeStorage(KEY + set, null);
}
