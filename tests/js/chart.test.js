import assert from "node:assert/strict";
import { test } from "node:test";

import { withAllNames } from "../../web/components/chart/names.js";
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
  const small = { layout: { tickfont: { size: 9 }, titlefont: { size: 30 } } };
  const projected = { layout: { tickfont: { size: 18 }, titlefont: { size: 30 } } };
  assert.deepEqual(coloured(small, palette, 18), projected);
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
