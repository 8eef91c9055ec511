import assert from "node:assert/strict";
import { test } from "node:test";

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
