import assert from "node:assert/strict";
import { test } from "node:test";

import { described } from "../../web/components/common/png.js";
import { describedSvg } from "../../web/components/common/saving.js";
import { reportPage } from "../../web/components/report/page.js";
import { hasRoom } from "../../web/components/report/pins.js";

const BAD = `"><img src=x onerror="alert(1)"><script>alert(1)</script>`;

test("no text of a pin becomes markup of the report", () => {
  const about = { link: BAD, text: BAD, [BAD]: BAD, others: [{ text: BAD }] };
  const pin = { picture: BAD, caption: BAD, alt: BAD, note: BAD, page: BAD, at: BAD, about };
  const page = reportPage([pin], { title: BAD, origin: BAD }, BAD);
  assert.ok(!page.includes("<script") && !page.includes("<img src=x"));
  assert.equal(page.match(/<img/g)?.length, 1);
  assert.match(page, /default-src 'none'/);
});

test("the report holds the pins in their order, with the facts of every model", () => {
  const of = (note) => ({ picture: "data:,", caption: "", note, page: "", at: "" });
  const about = { model: "minilm", others: [{ model: "scratch" }], link: "http://here/?a=1" };
  const page = reportPage([{ ...of("one"), about }, of("two")], { title: "", origin: "" }, "en");
  assert.ok(page.indexOf("one") < page.indexOf("two"));
  assert.match(page, /<dd>minilm<\/dd>.*<dd>scratch<\/dd>/);
  assert.match(page, /href="http:\/\/here\/\?a=1"/);
});

test("a report has room for 60 figures, and for 40 million letters", () => {
  const figure = { picture: "x", caption: "" };
  assert.ok(hasRoom(Array(59).fill(figure), figure));
  assert.ok(!hasRoom(Array(60).fill(figure), figure));
  assert.ok(!hasRoom([{ picture: { length: 40_000_000 } }], figure));
});

test("a description is a chunk of a PNG with the checksum of the specification", () => {
  const bytes = described(`data:image/png;base64,${btoa("x".repeat(33) + "rest")}`, `{"a":"é"}`);
  const chunk = String.fromCharCode(...bytes.slice(33, -4));
  assert.equal(chunk.slice(4, -4), String.raw`tEXtDescription` + "\0" + String.raw`{"a":"\u00e9"}`);
  assert.equal(bytes[36], chunk.length - 12);
  assert.equal(String.fromCharCode(...bytes.slice(-4)), "rest");
});

test("a description of an SVG may contain the patterns of a replacement", () => {
  const svg = describedSvg("<svg a='1'><g/></svg>", { text: "$& <b>" });
  assert.match(svg, /^<svg a='1'><metadata>.*\$&amp; &lt;b>.*<\/metadata><g\/><\/svg>$/);
});
