import assert from "node:assert/strict";
import { test } from "node:test";

import { drawCurves } from "../../web/components/player/curves.js";
import "./document.js";

const STOPS = ["0", "100", "200", "300", "400"];
const curve = { values: [1, 0.75, 0.5, 0.25, 0], colour: "red", dash: "" };
const draw = (width) =>
  drawCurves([curve], { stops: STOPS, at: 1, hue: "blue", width, go: () => {} });
const named = (shapes) =>
  shapes.filter((part) => part.name === "text" && part.attributes.y === "136");

test("a share of 1 is at the top, and 0 at the line", () => {
  const shapes = draw(600);
  const line = shapes.find((part) => part.name === "polyline").attributes.points.split(" ");
  const heights = line.map((point) => Number(point.split(",")[1]));
  assert.deepEqual(heights, [10, 37.5, 65, 92.5, 120]);
  const dot = shapes.find((part) => part.name === "circle").attributes;
  assert.equal(`${dot.cx},${dot.cy}`, line[1]);
});

test("names without space are omitted, except the last", () => {
  const words = (width) => named(draw(width)).map((part) => part.textContent);
  assert.deepEqual(words(600), STOPS);
  assert.deepEqual(words(200), ["0", "200", "400"]);
  assert.deepEqual(words(158), ["0", "400"]); // every third: 300 would overlap 400
});
