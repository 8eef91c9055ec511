import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, mock, test } from "node:test";

import { Outbox } from "../../web/components/common/outbox.js";
import reconnect from "../../web/components/reconnect/reconnect.js";
import { CONNECTION, SCRIPT } from "../../web/streamlit_patches/app_state.js";

const IMPORTED = readFileSync(
  new URL("../../web/components/common/imported.js", import.meta.url),
  "utf-8",
);

/** The attributes of Streamlit's element around the app. */
let app;
let observe;
let sent;
let reloads;
let outbox;

/** Change a state as Streamlit does, which calls the component's observer. */
function become(attribute, value) {
  app[attribute] = value;
  observe([]);
}

const element = () => ({ dataset: {}, matches: () => false, showPopover() {} });
const WORDS = { line: "No connection for {time}.", trying: "", ended: "", reload: "", back: "" };

beforeEach(() => {
  app = { [CONNECTION]: "CONNECTED", [SCRIPT]: "notRunning" };
  [sent, reloads] = [[], 0];
  mock.timers.reset();
  mock.timers.enable({ apis: ["setTimeout", "setInterval", "Date"], now: 1e12 });
  const appElement = {
    getAttribute: (name) => app[name],
    setAttribute: (name, value) => (app[name] = value),
    removeAttribute: (name) => delete app[name],
    hasAttribute: (name) => name in app,
  };
  const stored = {};
  Object.assign(globalThis, {
    MutationObserver: class {
      constructor(callback) {
        if (callback.length) observe = callback; // the other one closes Streamlit's dialog
      }
      observe() {}
      disconnect() {}
    },
    document: Object.assign(new EventTarget(), {
      body: {},
      activeElement: null,
      documentElement: element(),
      querySelector: () => appElement,
    }),
    sessionStorage: {
      getItem: (key) => stored[key],
      setItem: (key, value) => (stored[key] = value),
    },
    window: Object.assign(new EventTarget(), {
      location: { href: "http://localhost/", reload: () => reloads++ },
    }),
  });
  const root = { querySelector: element };
  reconnect({
    data: [WORDS],
    parentElement: { querySelector: () => root },
    setTriggerValue: (name) => sent.push(name),
  });
  outbox = new Outbox();
  outbox.transmit = (trigger, value) => sent.push([trigger, value]);
  globalThis.window.addEventListener("headlight-run-end", ({ detail }) => outbox.flush(detail));
});

test("after a reconnect, waiting edits are sent at the end of the first run, not earlier", () => {
  outbox.edit({ layer: 3 });
  assert.equal(sent.splice(0).length, 1); // it may be lost with the connection
  become(CONNECTION, "PINGING_SERVER");
  become(CONNECTION, "CONNECTED");
  assert.deepEqual(sent.splice(0), ["reconnected"]);
  assert.equal("inert" in app, true);
  become(SCRIPT, "running");
  mock.timers.tick(60_000); // a slow run: the page stays locked
  assert.deepEqual([sent, "inert" in app], [[], true]);
  become(SCRIPT, "notRunning");
  const edit = ["edited", { number: 1, fields: { layer: 3 } }];
  assert.deepEqual([sent.splice(0), "inert" in app], [[edit], false]);
  become(SCRIPT, "running");
  become(SCRIPT, "notRunning"); // without an acknowledgement, but without a reconnect either
  assert.deepEqual(sent, []);
});

test("a run that ends without a connection sends nothing", () => {
  become(SCRIPT, "running");
  become(CONNECTION, "PINGING_SERVER");
  outbox.edit({ layer: 3 });
  become(SCRIPT, "notRunning");
  assert.deepEqual(sent, []);
});

test("a page whose script is lost is loaded again once, after the waiting edits are sent", () => {
  become(CONNECTION, "PINGING_SERVER");
  outbox.edit({ layer: 3 });
  globalThis.window.headlightScriptLost = true; // set by early.js
  globalThis.window.dispatchEvent(new Event("headlight-script-error"));
  mock.timers.tick(10_000);
  assert.equal(reloads, 0);
  become(CONNECTION, "CONNECTED");
  for (const expected of [0, 1, 1]) {
    become(SCRIPT, "running");
    become(SCRIPT, "notRunning");
    assert.equal(reloads, expected); // the first run sends the edit, whose run would be lost
  }
});

test("the sentence of lost scripts appears after all attempts, each with its own URL", async () => {
  const folder = mkdtempSync(join(tmpdir(), "headlight"));
  const urls = (globalThis.urls = []);
  const lost = "globalThis.urls.push(new URL(import.meta.url).search); throw new Error('lost');";
  writeFileSync(join(folder, "lost.mjs"), lost);
  const loader = join(folder, "loader.mjs");
  writeFileSync(loader, IMPORTED.replace("ADDRESS", `file://${folder}/lost.mjs`));
  let errors = 0;
  globalThis.window.addEventListener("headlight-script-error", () => errors++);
  const { dataset } = globalThis.document.documentElement;
  const called = import(loader).then((script) => script.default({}));
  const failed = assert.rejects(called, /lost/);
  while (!errors) {
    assert.equal("broken" in dataset, false);
    mock.timers.tick(1_000);
    await new Promise(setImmediate);
  }
  await failed;
  assert.equal("broken" in dataset, true);
  assert.deepEqual(urls, ["", ...[1, 2, 3, 4, 5].map((again) => `?again=${again}`)]);
  const style = readFileSync(new URL("../../web/assets/page.css", import.meta.url), "utf-8");
  assert.match(style, /html:not\(\[data-broken\]\)[^{]*\.st-key-lost_parts\) { display: none; }/);
});
