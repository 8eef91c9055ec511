// Questions that a teacher has prepared: a list in this browser, which a file or a link takes along.

import { store, stored } from "./kept.js";

const KEY = "headlight.questions";
const MOST = 200;
const MARK = "headlight-questions";
const KINDS = ["token", "head", "layer", "number", "choice"];

/**
 * What is asked, and of which view: as the server takes it.
 *
 * @typedef {{ kind: string, prompt: string, view: string } & Record<string, any>} Prepared
 */

/** @returns {Prepared[]} */
export function preparedQuestions() {
  return stored(KEY) ?? [];
}

/** @param {Prepared[]} questions */
export function keepPrepared(questions) {
  store(KEY, questions.slice(0, MOST));
  window.dispatchEvent(new Event("headlight-questions"));
}

/** @param {Prepared[]} questions */
export function asFile(questions) {
  return JSON.stringify({ [MARK]: 1, questions }, null, 2);
}

/**
 * @param {string} text of a file
 * @returns {Prepared[] | null} null where it holds no questions
 */
export function fromFile(text) {
  try {
    const { [MARK]: version, questions } = JSON.parse(text);
    if (version !== 1 || !Array.isArray(questions) || questions.length > MOST) return null;
    return questions.every(isQuestion) ? questions : null;
  } catch {
    return null;
  }
}

/** @param {any} each */
function isQuestion(each) {
  const texts = [each?.kind, each?.prompt, each?.view];
  return (
    texts.every((text) => typeof text === "string" && text.length <= 8_000) &&
    KINDS.includes(each.kind) &&
    /^\/(?!\/)/.test(each.view)
  );
}

/**
 * @param {Prepared[]} questions
 * @returns {Promise<string>} what stands behind the # of a link; no server is sent it
 */
export async function asFragment(questions) {
  const bytes = await through(new CompressionStream("deflate-raw"), encoded(asFile(questions)));
  return `questions=${base64url(bytes)}`;
}

/**
 * @param {string} fragment
 * @returns {Promise<Prepared[] | null>} null where it holds none
 */
export async function fromFragment(fragment) {
  const written = new URLSearchParams(fragment.replace(/^#/, "")).get("questions");
  if (!written) return null;
  try {
    const text = atob(written.replaceAll("-", "+").replaceAll("_", "/"));
    const bytes = Uint8Array.from(text, (letter) => letter.charCodeAt(0));
    const whole = await through(new DecompressionStream("deflate-raw"), bytes);
    return fromFile(new TextDecoder().decode(whole));
  } catch {
    return null;
  }
}

/** @param {string} text */
function encoded(text) {
  return new TextEncoder().encode(text);
}

/**
 * @param {CompressionStream | DecompressionStream} stream
 * @param {Uint8Array<ArrayBuffer>} bytes
 */
async function through(stream, bytes) {
  const body = new Response(bytes).body.pipeThrough(stream);
  return new Uint8Array(await new Response(body).arrayBuffer());
}

/** @param {Uint8Array} bytes */
function base64url(bytes) {
  let text = "";
  for (const byte of bytes) text += String.fromCharCode(byte);
  return btoa(text).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}
