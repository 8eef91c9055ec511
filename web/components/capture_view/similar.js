// The head of another side that attends most like a head, as web/widgets/head_comparison.py measures it.
// The server's answer comes later and decides: it has all digits of the weights.

import { MASKED } from "../common/scale.js";

/** @type {(row: number[]) => number} */
const entropy = (row) => row.reduce((sum, p) => (p ? sum - p * Math.log2(p) : sum), 0);

/**
 * @param {Subject} subject
 * @param {Head} head
 * @param {number[]} units
 * @returns {number[][]} its weights between these units, in rows that sum to 1
 */
function distributions(subject, head, units) {
  const cells = subject.exact.of(head) ?? [];
  const columns = (subject.keys ?? subject).size;
  return units.map((query) => {
    // 0 if it is masked, or below 1/20,000, which is rounded to 1.
    const weight = (/** @type {number} */ key) => cells[query * columns + key] % MASKED;
    const row = units.map((key) => (weight(key) > 1 ? weight(key) : 0));
    const total = row.reduce((sum, weight) => sum + weight, 0);
    return total ? row.map((weight) => weight / total) : row;
  });
}

/**
 * @param {Subject} subject
 * @param {Head} head
 * @param {Subject} other
 * @param {[left: number, right: number][]} compared units; the browser has all of their weights
 * @returns {(place: Head) => number} the mean Jensen-Shannon distance of the rows, from 0 to 1
 */
export function distanceFrom(subject, head, other, compared) {
  const sides = subject.side === "left" ? [0, 1] : [1, 0];
  const [own, theirs] = sides.map((side) => compared.map((pair) => pair[side]));
  const rows = distributions(subject, head, own);
  const entropies = rows.map(entropy);
  return (place) =>
    distributions(other, place, theirs).reduce((sum, row, i) => {
      const middle = entropy(row.map((p, key) => (p + rows[i][key]) / 2));
      return sum + Math.sqrt(Math.max(middle - (entropies[i] + entropy(row)) / 2, 0));
    }, 0) / rows.length;
}

/** @type {(...from: Parameters<typeof distanceFrom>) => Head} the head with the smallest distance */
export function mostSimilar(subject, head, other, compared) {
  const distanceTo = distanceFrom(subject, head, other, compared);
  let [nearest, least] = [/** @type {Head} */ ([0, 0]), Infinity];
  for (let index = 0; index < other.layers * other.heads; index++) {
    /** @type {Head} */
    const place = [Math.floor(index / other.heads), index % other.heads];
    const distance = distanceTo(place);
    if (distance < least) [nearest, least] = [place, distance];
  }
  return nearest;
}
