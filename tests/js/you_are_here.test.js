import assert from "node:assert/strict";
import { test } from "node:test";

import "./document.js";
import { linkFrom } from "../../web/components/menu/menu.js";

const asked = (search, href) => {
  const [path, query] = linkFrom(search, href).split("?");
  return [path, Object.fromEntries(new URLSearchParams(query))];
};

test("a link carries the model, the text and the head of the view", () => {
  const view = "?text=a+b&left=minilm&right=scratch&layer=2&head=5&part=lens&lang=zh";
  assert.deepEqual(asked(view, "model?zoom=head"), [
    "/model",
    { zoom: "head", text: "a b", left: "minilm", layer: "2", head: "5", lang: "zh" },
  ]);
});

test("a link carries the translator of the Decoder page and of the Calculator", () => {
  const decoder = asked("?part=translate&model=phrases&text=the+cat", "model?zoom=whole")[1];
  assert.deepEqual(decoder, { zoom: "whole", text: "the cat", left: "phrases" });
  const calculator = asked("?translator=dates&source=May+2", "model?zoom=score")[1];
  assert.deepEqual(calculator, { zoom: "score", text: "May 2", left: "dates" });
});

test("a view without a text uses the view with which the page was entered", () => {
  const link = "model?zoom=layer&text=a&left=minilm";
  assert.equal(linkFrom("?kind=alibi", link), `/${link}`);
  const view = asked("?text=b&left=scratch", `${link}&layer=2`)[1];
  assert.deepEqual(view, { zoom: "layer", text: "b", left: "scratch" });
});
