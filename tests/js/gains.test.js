import assert from "node:assert/strict";
import { test } from "node:test";

import {
  answeredTests,
  answersOf,
  conceptsOf,
  correlation,
  itemRows,
  parseCsv,
} from "../../web/components/desk/gains.js";

const LESSONS = [
  { name: "tokens", title: "1 · Tokens", concepts: ["", ""] },
  { name: "before", title: "A", concepts: ["axis", "sink"] },
  { name: "after", title: "B", concepts: ["axis", "sink"] },
];
const HEAD = "lesson,step,student,name,outcome,answer,tries,link,time";

/** @param {[string, number, number, boolean][]} answers lesson, step, student, right */
function csv(answers) {
  const lines = answers.map(
    ([lesson, step, student, right]) =>
      `${lesson},${step},${student},,${right ? "right" : "wrong"},an answer,1,,2026-11-24`,
  );
  return `\ufeff${[HEAD, ...lines].join("\r\n")}\r\n`;
}

test("fields of a CSV file may contain commas, quotes and line breaks", () => {
  assert.deepEqual(parseCsv('\ufeffa,"b,""c"" \r\nd",\r\n"",e\n'), [
    ["a", 'b,"c" \r\nd', ""],
    ["", "e"],
  ]);
  assert.deepEqual(parseCsv(""), []);
});

test("a row without an answer, and a file of something else, count for nothing", () => {
  const seen = `${HEAD}\nbefore,1,4,,seen,,0,,\nbefore,2,4,,wrong,no,1,,`;
  assert.deepEqual(answersOf(seen, 3), [
    { lesson: "before", step: 2, student: "3.4", right: false },
  ]);
  assert.deepEqual(answersOf("x,y\n1,2", 0), []);
});

test("the gain is the share of the wrong answers that became right", () => {
  // Concept axis: 1 of 4 before, 3 of 4 after, in another room: gain (3/4 − 1/4) / (3/4).
  const before = csv([1, 2, 3, 4].map((student) => ["before", 1, student, student === 1]));
  const after = csv([1, 2, 3, 4].map((student) => ["after", 1, student, student !== 1]));
  const answers = [...answersOf(before, 0), ...answersOf(after, 1)];
  const tests = answeredTests(LESSONS, answers);
  assert.deepEqual(
    tests.map(({ name }) => name),
    ["before", "after"],
  );
  const [axis, sink] = conceptsOf(tests, answers);
  assert.equal(axis.name, "axis");
  assert.deepEqual(
    axis.items.map((item) => [item?.count, item?.right, item?.discrimination]),
    [
      [4, 0.25, null],
      [4, 0.75, null],
    ],
  );
  assert.ok(Math.abs((axis.gain ?? 0) - 2 / 3) < 1e-12);
  assert.deepEqual(sink.items, [null, null]);
  assert.equal(sink.gain, null);
});

test("one test alone, and a concept that everybody knew before, have no gain", () => {
  const alone = answersOf(csv([["after", 1, 1, true]]), 0);
  assert.equal(conceptsOf(answeredTests(LESSONS, alone), alone)[0].gain, null);
  const known = answersOf(
    csv([
      ["before", 1, 1, true],
      ["after", 1, 1, true],
    ]),
    0,
  );
  assert.equal(conceptsOf(answeredTests(LESSONS, known), known)[0].gain, null);
});

test("the discrimination is the correlation with the other questions, from ten students on", () => {
  // Students 1 to 5 are right in both questions, 6 to 10 in neither: a correlation of 1.
  const answers = Array.from({ length: 10 }, (_, i) => i + 1).flatMap((student) =>
    [1, 2].map(
      (step) =>
        /** @type {[string, number, number, boolean]} */ (["before", step, student, student < 6]),
    ),
  );
  const given = answersOf(csv(answers), 0);
  const [axis] = conceptsOf(answeredTests(LESSONS, given), given);
  assert.ok(Math.abs((axis.items[0]?.discrimination ?? 0) - 1) < 1e-12);
  // By hand: products sum to 2, squares to 1 and 5.
  assert.ok(Math.abs((correlation([0, 0, 1, 1], [1, 2, 3, 4]) ?? 0) - 2 / Math.sqrt(5)) < 1e-12);
  assert.equal(correlation([1, 1], [0, 1]), null);
});

test("the statistics of the questions have no students", () => {
  const answers = answersOf(
    csv([
      ["before", 2, 1, true],
      ["before", 2, 2, false],
      ["after", 1, 1, true],
    ]),
    0,
  );
  const tests = answeredTests(LESSONS, answers);
  assert.deepEqual(itemRows(tests, conceptsOf(tests, answers)), [
    ["lesson", "step", "concept", "students", "difficulty", "discrimination"],
    ["before", "2", "sink", "2", "0.5000", ""],
    ["after", "1", "axis", "1", "1.0000", ""],
  ]);
});
