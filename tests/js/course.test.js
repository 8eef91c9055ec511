import assert from "node:assert/strict";
import { test } from "node:test";

import { nextStep } from "../../web/components/course/course.js";

const STEPS = [
  ["tokens", 1],
  ["tokens", 2],
  ["masks", 1],
].map(([lesson, step]) => ({ lesson, step: Number(step), link: "" }));

test("the course goes on at the first step without an answer, from the last place on", () => {
  const place = (/** @type {string | undefined} */ at, /** @type {any} */ done) => {
    const { lesson, step } = nextStep(STEPS, at, done) ?? {};
    return lesson && `${lesson}.${step}`;
  };
  assert.equal(place(undefined, {}), "tokens.1");
  assert.equal(place("tokens.2", {}), "tokens.2");
  assert.equal(place("tokens.2", { tokens: { 2: {} } }), "masks.1");
  assert.equal(place("masks.1", { masks: { 1: {} }, tokens: { 1: {} } }), "tokens.2");
  assert.equal(place("gone.4", { tokens: { 1: {} } }), "tokens.2");
  assert.equal(place("masks.1", { masks: { 1: {} }, tokens: { 1: {}, 2: {} } }), undefined);
});
