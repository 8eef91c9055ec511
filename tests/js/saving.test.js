import assert from "node:assert/strict";
import { test } from "node:test";

import { describedPng, describedSvg } from "../../web/components/common/saving.js";

test("a description is a chunk of a PNG with the checksum of the specification", async () => {
  const file = describedPng(`data:image/png;base64,${btoa("x".repeat(33) + "rest")}`, `{"a":"é"}`);
  const bytes = new Uint8Array(await file.arrayBuffer());
  const chunk = String.fromCharCode(...bytes.slice(33, -4));
  assert.equal(chunk.slice(4, -4), String.raw`tEXtDescription` + "\0" + String.raw`{"a":"\u00e9"}`);
  assert.equal(bytes[36], chunk.length - 12);
  assert.equal(String.fromCharCode(...bytes.slice(-4)), "rest");
});

test("an SVG may contain the patterns of a replacement, and contains no control character", () => {
  const svg = describedSvg("<svg a='1'><g>\v😀</g></svg>", { text: "$& <b>" });
  assert.match(svg, /^<svg a='1'><metadata>.*\$&amp; &lt;b>.*<\/metadata><g>\ufffd😀<\/g><\/svg>$/);
});
