import assert from "node:assert/strict";
import { test } from "node:test";

import { textOf, wholeRecords } from "../../web/components/data_file/data_file.js";

const bytes = (text) => new TextEncoder().encode(text);
const decode = (part) => new TextDecoder().decode(part);

test("the first part of a large file ends with a whole line, or a whole sentence", () => {
  assert.equal(decode(wholeRecords(bytes("one\ntwo\nthr"), "a.txt")), "one\ntwo");
  const treebank = bytes("1\ta\n2\tb\n\n1\tc\n2\td");
  assert.equal(decode(wholeRecords(treebank, "a.conllu")), "1\ta\n2\tb\n");
  assert.equal(decode(wholeRecords(bytes("1\ta\r\n\r\n1\tc\r\n2"), "a.conllu")), "1\ta\r\n\r");
  assert.equal(decode(wholeRecords(bytes("1\ta\n2\tb"), "a.conllu")), "");
  assert.equal(decode(wholeRecords(bytes("no line"), "a.txt")), "");
});

test("a file that is not a text gives null", () => {
  assert.equal(textOf(bytes("\uFEFFé\n"), 100), "é\n");
  assert.equal(textOf(Uint8Array.of(0xff, 0xfe, 0), 100), null);
  assert.equal(textOf(new Uint8Array(100), 100), null); // 600 characters of JSON
});
