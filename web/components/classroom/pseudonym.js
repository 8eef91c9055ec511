// The pseudonym of a student: a tree for each number in the room.

import { message } from "./dom.js";

/** @param {number} number of the student in the room, from 1 @returns {string} */
export function pseudonym(number) {
  const trees = [1, 2, 3].flatMap((part) => message(`trees_${part}`).split(" "));
  const round = Math.floor((number - 1) / trees.length);
  return trees[(number - 1) % trees.length] + (round ? ` ${round + 1}` : "");
}
