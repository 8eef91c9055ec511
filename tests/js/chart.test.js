import assert from "node:assert/strict";
import { test } from "node:test";

import { colourAt, preview } from "../../web/components/chart/preview.js";
import { withAllNames } from "../../web/components/chart/names.js";
import { figureOf, headOf, printed, tokensOf } from "../../web/components/chart/promised.js";
import { coloured } from "../../web/components/chart/theme.js";

const palette = { text: "#111111", paper: "#eeeeee" };

test("the theme's colours replace the placeholders of viz, but not a token's name", () => {
  const figure = {
    data: [{ x: ["#000037", "b"], textfont: { color: "#000037" }, marker: { color: [1, 2] } }],
    layout: { shapes: [{ fillcolor: "#000038", line: { color: "#000037" } }], title: null },
  };
  assert.deepEqual(coloured(figure, palette), {
    data: [{ x: ["#000037", "b"], textfont: { color: "#111111" }, marker: { color: [1, 2] } }],
    layout: { shapes: [{ fillcolor: "#eeeeee", line: { color: "#111111" } }], title: null },
  });
  assert.equal(figure.data[0].textfont.color, "#000037"); // unchanged: the next theme uses it
});

test("all names of columns are shown if a font of 8 pixels or more fits", () => {
  const xaxis = { type: "category", tickangle: -60 };
  const of = (count) => ({
    data: [{ type: "heatmap", x: Array(count).fill("a") }],
    layout: { xaxis, margin: { l: 90, r: 80 } },
  });
  const axisAt = (count, width) => withAllNames(of(count), width).layout.xaxis;
  assert.deepEqual(axisAt(16, 660), { ...xaxis, dtick: 1, tickfont: { size: 12 } });
  assert.deepEqual(axisAt(16, 362), { ...xaxis, dtick: 1, tickfont: { size: 10 } }); // 192 / 16 / 1.2
  assert.deepEqual(axisAt(64, 362), xaxis);
});

const heatmap = {
  type: "heatmap",
  z: [[0, 0, 0]],
  x: ["a", "b", "c"],
  y: ["p", "q"],
  text: [["", "", ""]],
  hovertemplate: "%{z:.6f}<extra></extra>",
  zmax: 0.5,
};
const figure = { data: [heatmap], layout: { title: { text: "minilm · L0·H10", x: 0 }, height: 9 } };

test("a head's figure is made from the overview's cells, with their digits", () => {
  const cells = Uint16Array.of(1234, 0, 8766, 65535, 9999, 1);
  const { data, layout } = figureOf(figure, "L3·H1", cells);
  assert.deepEqual(data[0].z, [
    [0.1234, 0, 0.8766],
    [null, 0.9999, 0.0001],
  ]);
  assert.deepEqual(data[0].text, [
    [".12", "", ".88"],
    ["", "1.0", ""],
  ]);
  assert.equal(data[0].hovertemplate, "%{z:.4f}<extra></extra>");
  assert.equal(data[0].zmax, 0.5);
  assert.deepEqual(layout, { title: { text: "minilm · L3·H1", x: 0 }, height: 9 });
  assert.equal(headOf({ layout }), "L3·H1");
  assert.equal(headOf(figure), "L0·H10");
  assert.equal(tokensOf({ data }), tokensOf(figure));
});

test("a cell has no number if four decimals do not determine two", () => {
  const numbers = [99, 100, 149, 150, 151, 250, 9950, 9951].map(printed);
  assert.equal(numbers.join(), ",.01,.01,,.02,,,1.0");
});

test("cells of another shape and figures with more than cells are unchanged", () => {
  assert.equal(figureOf(figure, "L3·H1", new Uint16Array(5)), undefined);
  const layered = { ...figure, data: [heatmap, heatmap] };
  assert.equal(figureOf(layered, "L3·H1", new Uint16Array(6)), undefined);
});

test("a colour is interpolated between two stops and clamped at the ends", () => {
  const scale = [
    [0, "rgba(0, 100, 200, 0)"],
    [0.5, "rgba(0, 100, 200, 0.4)"],
    [1, "rgba(100, 0, 200, 1)"],
  ];
  assert.equal(colourAt(scale, 0.25), "rgba(0, 100, 200, 0.2)");
  assert.equal(colourAt(scale, 0.75), "rgba(50, 50, 200, 0.7)");
  assert.equal(colourAt(scale, -3), "rgba(0, 100, 200, 0)");
  assert.equal(colourAt(scale, 7), "rgba(100, 0, 200, 1)");
  const opaque = [
    [0, "rgb(0, 0, 0)"],
    [1, "rgb(10, 20, 30)"],
  ];
  assert.equal(colourAt(opaque, 0.5), "rgba(5, 10, 15, 1)");
});

test("there is a preview only if Plotly draws the same", () => {
  const z = { dtype: "f4", bdata: "AACAPwAAAD8=", shape: "1, 2" };
  const margin = { l: 50, r: 80, t: 50, b: 50, autoexpand: false };
  const figure = (trace, layout) => ({
    data: [{ type: "heatmap", z, ...trace }],
    layout: { height: 300, margin, ...layout },
  });
  for (const other of [figure({ type: "scatter" }, {}), figure({}, { shapes: [{}] })])
    assert.equal(preview(other, 600), undefined);
  assert.equal(preview(figure({}, {}), 120), undefined); // too small
});
