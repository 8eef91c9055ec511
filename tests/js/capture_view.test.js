import assert from "node:assert/strict";
import { test } from "node:test";

import { foldOf, moved } from "../../web/components/capture_view/fold.js";
import { aspectOf, Heads } from "../../web/components/capture_view/heads.js";
import { figureOf, printed } from "../../web/components/capture_view/map.js";
import { strongest, told } from "../../web/components/capture_view/panel.js";
import { Store } from "../../web/components/capture_view/store.js";
import { shrunk } from "../../web/components/capture_view/thumbnails.js";
import { MASKED, opacity } from "../../web/components/common/scale.js";

const square = (side) => ({ rows: side, columns: side });

test("no weight is lost if the sizes do not divide", () => {
  const size = 5;
  for (let place = 0; place < size * size; place++) {
    const cells = new Uint16Array(size * size);
    cells[place] = 9;
    const found = shrunk(cells, square(size), square(3));
    assert.equal(found.filter((value) => value === 9).length, 1);
    const [row, column] = [Math.floor(place / size), place % size];
    assert.equal(found[Math.floor((row * 3) / 5) * 3 + Math.floor((column * 3) / 5)], 9);
  }
});

const roomy = { width: 672, screen: 900 };

test("heads fill the width, at most twice as wide as high, and a fifth of the screen's height", () => {
  const minilm = { layers: 6, heads: 12 };
  const wide = foldOf(roomy, minilm);
  assert.deepEqual([wide.high, wide.wide], [27, 52]); // (0.2 x 900 - 18) / 6, 2 x 25 + 2
  assert.equal(foldOf({ width: 400, screen: 900 }, minilm).wide, 370 / 12);
  // Wide thumbnails are lower if the width is small: 24 wide with a gap of 2, so 12 high.
  assert.equal(foldOf({ width: 342, screen: 900 }, minilm, 2).high, 12 + 2);
});

test("many layers are folded into blocks side by side", () => {
  // (672 / 3 - 30) / 9 wide is less than (216 - 18) / 10 high.
  const folded = foldOf(roomy, { layers: 30, heads: 9 });
  assert.deepEqual([folded.blocks, folded.rows], [3, 10]);
  assert.ok(Math.abs(folded.high - 194 / 9) < 1e-9);
  const phone = foldOf({ width: 362, screen: 844 }, { layers: 30, heads: 9 });
  assert.deepEqual([phone.blocks, phone.rows, phone.high], [1, 30, 20]); // several would be too small
  for (let layers = 1; layers < 60; layers++) {
    const { blocks, rows } = foldOf(roomy, { layers, heads: 9 });
    assert.ok((blocks - 1) * rows < layers && layers <= blocks * rows); // no block is empty
  }
});

test("arrow keys change the layer and the head, also across blocks", () => {
  const data = { layers: 30, heads: 9 };
  const from = (layer, head, ...move) => moved([layer, head], move, data, 10);
  assert.deepEqual(from(9, 4, 1, 0), [10, 4]); // the top of the next block
  assert.deepEqual(from(3, 8, 0, 1), [13, 0]);
  assert.deepEqual(from(13, 0, 0, -1), [3, 8]);
  assert.deepEqual(from(3, 0, 0, -1), [3, -1]);
  const single = (layer, ...move) => moved([layer, 0], move, { layers: 6, heads: 1 }, 3);
  assert.deepEqual([single(1, 1, 0), single(2, 0, 1), single(4, 1, 0)].flat(), [4, 0, 3, 0, 4, 0]);
});

test("a head with more keys than queries is reduced separately in each direction", () => {
  // Two rows of six, reduced to two by three pixels.
  const cells = Uint16Array.from([1, 9, 0, 0, 2, 3, 0, 4, 0, 5, 7, 6]);
  const reduced = (rows, columns) => [...shrunk(cells, { rows: 2, columns: 6 }, { rows, columns })];
  assert.deepEqual(reduced(2, 3), [9, 0, 3, 4, 5, 7]);
  assert.deepEqual(reduced(1, 2), [9, 7]);
});

test("a pixel is masked if all of its cells are, and a masked cell is not a large weight", () => {
  const cells = Uint16Array.from([5, MASKED, MASKED, MASKED]);
  const [row, pair] = [4, 2].map((columns) => ({ rows: 1, columns }));
  assert.deepEqual([...shrunk(cells, row, pair)], [5, MASKED]);
  assert.equal(opacity(MASKED, { sqrt: false, low: 0, high: 40000 }), 0);
});

test("the strongest links are never masked, and not of special tokens unless asked for", () => {
  const cells = Uint16Array.from([5, 0, 1, MASKED, 6, 9, 0, MASKED, 8]);
  const of = (special, only, keys) => strongest({ size: 3, special, keys }, cells, only, 3);
  assert.deepEqual(of([false, false, false], {}), [
    [9, 1, 2],
    [8, 2, 2],
    [6, 1, 1],
  ]);
  assert.deepEqual(of([false, true, true], {}), [[5, 0, 0]]);
  assert.deepEqual(of([true, false, true], { queries: [1] }), [[6, 1, 1]]);
  assert.deepEqual(of([true, false, true], { keys: [2] }), [[9, 1, 2]]);
  assert.deepEqual(of([true, false, true], { queries: [0] }, { size: 3 })[0], [5, 0, 0]);
  const subject = { size: 3, special: [false, false, false], labels: ["a", ".", "b"] };
  const row = Uint16Array.from([8010, 9000, 8020, 0, 0, 0, 0, 0, 0]);
  assert.deepEqual(told(subject, row, []).map(String), ["8020,0,2", "8010,0,0"]); // a tie
});

test("cells are square unless one side is more than twice as long", () => {
  assert.equal(aspectOf({ size: 5, keys: { size: 7, labels: [] } }), 1.4);
  assert.equal(aspectOf({ size: 5, keys: { size: 70, labels: [] } }), 2);
  assert.equal(aspectOf({ size: 70, keys: { size: 5, labels: [] } }), 0.5);
});

test("the head under the pointer is found in every block, also if thumbnails are not square", () => {
  const canvas = { getBoundingClientRect: () => ({ left: 100, top: 50 }) };
  const store = { subject: () => ({ layers: 3, heads: 3 }) };
  const drawn = { __proto__: Heads.prototype, canvas, store, rows: 2, wide: 40, high: 25 };
  const at = (x, y) => drawn.at({ clientX: 100 + x, clientY: 50 + y });
  assert.deepEqual(at(30, 18), [0, 0]);
  assert.deepEqual(at(30 + 119, 18 + 49), [1, 2]);
  assert.equal(at(30 + 120, 18), null); // the names of the next block
  assert.equal(at(30, 18 + 50), null);
  assert.deepEqual(at(150 + 30, 18), [2, 0]);
  assert.equal(at(150 + 30, 18 + 25), null); // the last block has one layer
});

test("a number in a cell is the rounded weight", () => {
  const cells = [399, 400, 599, 601, 1000, 39799, 39801, 40000, MASKED];
  assert.equal(cells.map(printed).join(), ",.01,.01,.02,.02,.99,1.0,1.0,");
});

test("a map has a head's numbers in the figure of viz, and a veil beside selected tokens", () => {
  const weights = {
    x: ["a", "b", "c"],
    y: ["p", "q"],
    texttemplate: "%{text}",
    hovertemplate: "%{z:.6f}",
  };
  const margin = { l: 9, r: 80, t: 39, b: 5 };
  const layout = { title: { text: "minilm · L0·H0", x: 0 }, margin, xaxis: {}, yaxis: {} };
  const colorscales = { linear: ["plain"], sqrt: ["root"] };
  const figures = [{ data: [weights], layout: { ...layout, shapes: ["hatch"] } }];
  const subject = { figures, figure_of: [0, 0, 0, 0], colorscales };
  const cells = Uint16Array.of(4937, 0, 35063, MASKED, 39997, 3);
  const sizes = { width: 800, height: 300, largest: 28, printed: 17 };
  const how = { picked: [], ...sizes, ink: "black", paper: "white" };
  const unit = { sqrt: false, low: 0, high: 40000 };
  const { data, layout: made } = figureOf(subject, [3, 1], cells, { ...how, scale: unit });
  const { x, y, z, text, zmax, colorscale, showscale, hovertemplate } = data[0];
  assert.deepEqual([x, y, hovertemplate], [weights.x, weights.y, "%{z:.4f}"]);
  assert.deepEqual(z, [
    [0.1234, 0, 0.8766],
    [null, 0.9999, 0.0001],
  ]);
  assert.deepEqual(text[0], [".12", "", ".88"]);
  assert.deepEqual([zmax, colorscale, showscale], [1, ["plain"], false]);
  assert.deepEqual([made.title.text, made.shapes], ["minilm · L3·H1", ["hatch"]]);
  // Cells of 28 pixels, without the room for a scale.
  assert.deepEqual([made.width, made.height], [9 + 10 + 3 * 28, 44 + 2 * 28]);
  const scale = { sqrt: true, low: 0, high: 35064 };
  const keys = { size: 3 };
  const other = figureOf({ ...subject, keys }, [3, 1], cells, { ...how, scale, picked: [1] });
  assert.deepEqual([other.data[0].zmax, other.data[0].showscale], [0.8766, true]);
  const [, veil, frame, ...more] = other.layout.shapes;
  assert.equal(veil.path, "M-0.5,-0.5H2.5V0.5H-0.5Z");
  assert.deepEqual([frame.x0, frame.x1, frame.y0, frame.y1, more], [-0.5, 2.5, 0.5, 1.5, []]);
  const low = figureOf(subject, [3, 1], cells, { ...how, scale: unit, height: 20 });
  assert.equal(low.data[0].texttemplate, undefined); // such small cells have no number
  // Nor names for all: those that are asked for stay.
  const named = { xaxis: [1], yaxis: [0, 1] };
  const close = { ...how, scale: unit, height: 20, named, titled: false };
  const { xaxis, yaxis, title } = figureOf(subject, [3, 1], cells, close).layout;
  assert.deepEqual([xaxis.tickvals, yaxis.tickvals, title.text], [["b"], ["p", "q"], ""]);
});

// Two splits of "tokens help": token ##s help, and tokens he lp.
const GROUPS = [
  [[0, 1], [0]],
  [[2], [1, 2]],
];

function storeOf(groups) {
  const store = new Store();
  const subject = (side) => ({ side, size: 3, layers: 6, heads: 12, labels: [] });
  store.receive({
    subjects: ["left", "right"].map(subject),
    groups,
    cells: new Uint16Array(2 * 72 * 9),
  });
  const sent = [];
  store.report = (changes) => sent.push(changes);
  return { store, sent, right: store.subject("right"), left: store.subject("left") };
}

test("a token of the right side selects the word of the left side, and shows all of its tokens", () => {
  const { store, sent, left, right } = storeOf(GROUPS);
  store.pick("right", 1, false);
  assert.deepEqual([store.picked(left), store.picked(right)], [[2], [1, 2]]);
  store.pick("right", 0, true);
  store.pick("right", 1, true);
  store.pick("right", 0, false);
  assert.deepEqual(
    sent.map(({ picked }) => picked),
    [[2], [0, 1, 2], [0, 1], []],
  );
});
