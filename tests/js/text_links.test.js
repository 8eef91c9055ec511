import assert from "node:assert/strict";
import { test } from "node:test";

import { linked } from "../../web/components/common/text_links.js";

globalThis.document = { createElement: (/** @type {string} */ name) => ({ name }) };

/** @param {string} text @returns {any[]} texts, and the address and text of each link */
const parts = (text) =>
  linked(text)
    .filter(Boolean)
    .map((part) => (typeof part === "string" ? part : [part.name, part.href, part.textContent]));

test("an address becomes a link, and the other text stays", () => {
  assert.deepEqual(parts("https://example.org/issues/84; Serrano and Smith 2019"), [
    ["a", "https://example.org/issues/84", "example.org/issues/84"],
    "; Serrano and Smith 2019",
  ]);
  assert.deepEqual(parts("(see https://example.org/a.html)."), [
    "(see ",
    ["a", "https://example.org/a.html", "example.org/a.html"],
    ").",
  ]);
  assert.equal(linked("https://example.org/")[1].rel, "noopener noreferrer");
});

test("no other scheme and no misleading address becomes a link", () => {
  for (const text of [
    "javascript:alert(1)",
    "http://example.org/",
    "https://",
    "https://[",
    "https://example.org@evil.example/",
  ])
    assert.deepEqual(parts(text).join(""), text);
  // A host in other letters is shown as the browser opens it.
  assert.equal(parts("https://еxample.org/")[0][2], "xn--xample-2of.org/");
});
