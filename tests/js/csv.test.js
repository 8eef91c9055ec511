import assert from "node:assert/strict";
import { test } from "node:test";

import { quoted, shortest, table } from "../../web/components/chart/table.js";

const NO_WORDS = { corner: "", curve: "", x: "", y: "" };
// The first line holds column names; the others are the chart's data.
const lines = (traces) => table({ _fullData: traces }, NO_WORDS).split("\r\n").slice(1);

test("a heatmap becomes a table with the same rows and columns", () => {
  const z = [
    [0.5, 0.25, 0.25],
    [0, 1, 0],
  ];
  const [first, second, end] = lines([{ type: "heatmap", x: ["a", "b", "c"], y: ["q", "r"], z }]);
  assert.equal(first, "q,0.5,0.25,0.25");
  assert.equal(second, "r,0,1,0");
  assert.equal(end, "");
  const unnamed = { type: "heatmap", x: ["a,b", 7], z: [[0, 1]] };
  assert.equal(table({ _fullData: [unnamed] }, NO_WORDS), ',"a,b",7\r\n0,0,1\r\n');
});

test("a masked cell is an empty field, and its grey trace adds no table", () => {
  const z = [new Float32Array([1, NaN, NaN]), new Float32Array([0.5, 0.5, NaN])];
  const grey = [new Float32Array([NaN, 0, 0]), new Float32Array([NaN, NaN, 0])];
  const axes = { x: ["a", "b", "c"], y: ["q", "r"] };
  assert.deepEqual(
    lines([
      { type: "heatmap", ...axes, z },
      { type: "heatmap", ...axes, z: grey },
    ]),
    ["q,1,,", "r,0.5,0.5,", ""],
  );
});

test("each point of a curve is one row", () => {
  const curves = [
    { type: "scatter", name: "loss", x: [0, 100], y: new Float64Array([2.5, 1.5]) },
    { type: "scatter", name: "share", x: ["a"], y: [null] },
  ];
  assert.deepEqual(lines(curves), ["loss,0,2.5", "loss,100,1.5", "share,a,", ""]);
});

test("a float32 is written with the fewest digits that restore it, and other values whole", () => {
  assert.equal(shortest(Math.fround(0.1)), 0.1);
  assert.equal(shortest(Math.fround(1 / 3)), 0.33333334);
  assert.equal(shortest(0.013438879512250423), 0.0134388795); // needs nine digits
  assert.equal(shortest(1 / 3), 1 / 3); // a float64 keeps all digits
  assert.equal(shortest("[SEP]"), "[SEP]");
  const at = Math.fround(0.013438879512250423);
  const points = { type: "scatter", name: "a", x: new Float64Array([at]), y: [at] };
  assert.equal(lines([points])[0], "a,0.0134388795,0.0134388795"); // axis values too
});

test("a formula is escaped, and a number is unchanged", () => {
  for (const start of ["=", "+", "-", "@", "＝", "\t"])
    assert.equal(quoted(`${start}a`), `'${start}a`);
  assert.equal(quoted("\r=1"), `"'\r=1"`);
  assert.equal(quoted('=HYPERLINK("a","b")'), `"'=HYPERLINK(""a"",""b"")"`);
  assert.equal(quoted("a=1"), "a=1");
  assert.equal(quoted(-0.5), "-0.5");
  assert.equal(quoted("-0.5"), "-0.5"); // an axis label
  assert.equal(quoted("-1+1"), "'-1+1");
  const heatmap = { type: "heatmap", x: ["=1+1"], y: ["@a"], z: [[-0.5]] };
  assert.deepEqual(table({ _fullData: [heatmap] }, NO_WORDS).split("\r\n"), [
    ",'=1+1",
    "'@a,-0.5",
    "",
  ]);
});

test("a field with a delimiter, quote or line break is quoted", () => {
  assert.deepEqual(
    ["a", "a,b", 'say "x"', "two\nlines", null, undefined, 0].map((field) => quoted(field)),
    ["a", '"a,b"', '"say ""x"""', '"two\nlines"', "", "", "0"],
  );
});
