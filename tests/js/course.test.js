import assert from "node:assert/strict";
import { test } from "node:test";

import { keepAnswered, keepFirst, progress } from "../../web/components/common/progress.js";
import { nextPlace } from "../../web/components/course/course.js";

const STEPS = [
  ["tokens", 1],
  ["tokens", 2],
  ["masks", 1],
].map(([name, step]) => ({ name, step, index: 0, link: "" }));

test("the course goes on at the first step without an answer, from the last place on", () => {
  const place = (/** @type {string | undefined} */ at, /** @type {any} */ done) => {
    const { name, step } = nextPlace(STEPS, at, done) ?? {};
    return name && `${name}.${step}`;
  };
  assert.equal(place(undefined, {}), "tokens.1");
  assert.equal(place("tokens.2", {}), "tokens.2");
  assert.equal(place("tokens.2", { tokens: { 2: {} } }), "masks.1");
  assert.equal(place("masks.1", { masks: { 1: {} }, tokens: { 1: {} } }), "tokens.2");
  assert.equal(place("gone.4", { tokens: { 1: {} } }), "tokens.2");
  assert.equal(place("masks.1", { masks: { 1: {} }, tokens: { 1: {}, 2: {} } }), undefined);
});

test("the first answer stays, before and after the answer that ends the question", () => {
  const stored = new Map();
  globalThis.localStorage = /** @type {any} */ ({
    getItem: (/** @type {string} */ key) => stored.get(key) ?? null,
    setItem: (/** @type {string} */ key, /** @type {string} */ value) => stored.set(key, value),
  });
  assert.deepEqual(progress().first, {});
  keepFirst("tokens", 2, "7");
  keepFirst("tokens", 2, "8");
  keepAnswered("tokens", 2, { answer: "9", text: "It is 9.", seen: true });
  keepAnswered("masks", 1, { answer: "1", text: "It is 1.", seen: false });
  keepFirst("masks", 1, "1"); // answered by an older version, which kept no first answers
  assert.deepEqual(progress().first, { tokens: { 2: "7" } });
});
