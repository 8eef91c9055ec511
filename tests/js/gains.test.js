import assert from "node:assert/strict";
import { test } from "node:test";

import {
  answeredTests,
  answersOf,
  conceptsOf,
  correlation,
  itemRows,
  itemsOf,
  parseCsv,
  poolItems,
  readItems,
} from "../../web/components/desk/gains.js";

const LESSONS = [
  { name: "tokens", title: "1 · Tokens", concepts: ["", ""], sources: ["", ""], errors: [[], []] },
  {
    name: "before",
    title: "A",
    concepts: ["axis", "sink"],
    sources: ["https://example.org/1; a paper", ""],
    errors: [["columns", "all"], []],
  },
  { name: "after", title: "B", concepts: ["axis", "sink"], sources: ["", ""], errors: [[], []] },
];
const HEAD = "lesson,step,student,name,outcome,answer,tries,link,time";

/** @param {[string, number, number, boolean, string?][]} answers lesson, step, student, right, text */
function csv(answers) {
  const lines = answers.map(
    ([lesson, step, student, right, text = "an answer"]) =>
      `${lesson},${step},${student},,${right ? "right" : "wrong"},${text},1,,2026-11-24`,
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
    { lesson: "before", step: 2, student: "3.4", answer: "no", right: false },
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

const ITEM_HEAD = [
  "lesson",
  "step",
  "concept",
  "students",
  "difficulty",
  "documented_error",
  "classes",
  "discrimination",
  "discrimination_students",
  "source",
];

test("the statistics of the questions have no students", () => {
  const answers = answersOf(
    csv([
      ["before", 1, 1, true, "rows"],
      ["before", 1, 2, false, "columns"],
      ["before", 1, 3, false, "all"],
      ["before", 1, 4, false, "none"],
      ["after", 2, 1, true],
    ]),
    0,
  );
  const tests = answeredTests(LESSONS, answers);
  const items = itemsOf(tests, conceptsOf(tests, answers));
  // 1 of 4 is right; the answers of 2 of 4 are documented errors.
  const source = "https://example.org/1; a paper";
  assert.deepEqual(itemRows(items), [
    ITEM_HEAD,
    ["before", "1", "axis", "4", "0.2500", "0.5000", "1", "", "0", source],
    ["after", "2", "sink", "1", "1.0000", "0.0000", "1", "", "0", ""],
  ]);
});

/** @param {string[]} lines without the head */
const statistics = (...lines) => readItems([ITEM_HEAD.join(), ...lines].join("\r\n"));

test("statistics of several classes are pooled by their students", () => {
  const one = statistics("a,1,axis,10,0.2,0.5,1,0.4,10,here", "a,2,sink,10,1,0,1,,0,");
  const two = statistics("a,1,axis,30,0.6,0.1,1,0.2,30,here");
  const small = statistics("a,1,axis,5,0,1,1,,0,here");
  assert.ok(one && two && small);
  const [axis, sink] = poolItems([...one, ...two, ...small]);
  // (10·0.2 + 30·0.6 + 5·0) / 45; (10·0.5 + 30·0.1 + 5·1) / 45; (10·0.4 + 30·0.2) / 40, because the
  // class of 5 has no discrimination.
  assert.deepEqual(itemRows([axis, sink]).slice(1), [
    ["a", "1", "axis", "45", "0.4444", "0.2889", "3", "0.2500", "40", "here"],
    ["a", "2", "sink", "10", "1.0000", "0.0000", "1", "", "0", ""],
  ]);
  // A pooled table is a file of statistics too: the order of pooling changes nothing.
  const lines = itemRows(poolItems([...one, ...small])).slice(1);
  const again = statistics(...lines.map((line) => line.join()));
  assert.ok(again);
  assert.deepEqual(itemRows(poolItems([...again, ...two])), itemRows([axis, sink]));
});

test("questions of other concepts are not mixed", () => {
  const items = statistics("a,1,axis,2,0,0,1,,0,", "a,1,sink,2,1,0,1,,0,", "b,1,axis,2,1,0,1,,0,");
  assert.ok(items);
  assert.deepEqual(
    poolItems(items).map(({ students }) => students),
    [2, 2, 2],
  );
});

test("a file of another kind, or with a number that cannot be, is refused", () => {
  assert.equal(readItems("x,y\n1,2"), null);
  assert.equal(readItems(csv([["before", 1, 1, true]])), null);
  assert.equal(readItems(""), null);
  for (const line of [
    "a,1,axis,0,0.5,0,1,,0,",
    "a,1,axis,2.5,0.5,0,1,,0,",
    "a,1,axis,4,1.5,0,1,,0,",
    "a,1,axis,4,,0,1,,0,",
    "a,1,axis,4,0.5,-1,1,,0,",
    "a,1,axis,4,0.5,0,x,,0,",
    "a,1,axis,4,0.5,0,1,2,4,",
    "a,1,axis,4,0.5,0,1,0.5,5,",
    "a,1,axis,4,0.5,0,1,0.5,0,",
    "a,1,axis,4,0.5,0,1,,4,",
    "a,1,axis",
  ])
    assert.equal(statistics(line), null, line);
  assert.deepEqual(statistics(), null);
});
