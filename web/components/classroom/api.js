// Requests to the rooms API of the server.

import { message } from "./dom.js";

export const MAX_LABEL = 120; // characters of a name in the collection

/**
 * @typedef {object} ApiResponse
 * @property {number} status 0 if the server did not respond
 * @property {any} body the JSON of the response; {} without one; { file } for a ZIP file, { text }
 *   for everything else
 */

/**
 * @param {string} path below /api/rooms
 * @param {{ token?: string, method?: string, body?: object }} [options]
 * @returns {Promise<ApiResponse>}
 */
export async function callApi(path, { token, method = "POST", body = {} } = {}) {
  /** @type {Record<string, string>} */
  const headers = { "Content-Type": "application/json" };
  if (token) headers["Authorization"] = `Bearer ${token}`;
  try {
    const response = await fetch(`/api/rooms${path}`, {
      method,
      headers,
      body: method === "POST" ? JSON.stringify(body) : undefined,
    });
    const zip = response.headers.get("Content-Type") === "application/zip";
    const content = zip ? { file: await response.blob() } : parseBody(await response.text());
    return { status: response.status, body: content };
  } catch {
    return { status: 0, body: {} };
  }
}

/**
 * @param {string} view
 * @returns {Promise<import("./question_form.js").ViewContent>} what can be asked about a view
 */
export async function describeView(view) {
  const path = `/about?view=${encodeURIComponent(view)}`;
  const { status, body } = await callApi(path, { method: "GET" });
  return status === 200 ? body : {};
}

/**
 * @param {string} label a long one is cut
 * @param {{ view: string } | { question: number, answer?: number }} what
 * @returns {object} the body of a request that adds something to the teacher's collection
 */
export function collectedBody(label, what) {
  return { label: [...label].slice(0, MAX_LABEL).join(""), ...what };
}

/** @param {string} text */
function parseBody(text) {
  try {
    return JSON.parse(text) ?? {};
  } catch {
    return { text };
  }
}

/**
 * @param {ApiResponse} response
 * @returns {string} the error in words; "" for a successful request
 */
export function errorMessage({ status, body }) {
  if (status >= 200 && status < 300) return "";
  if (status === 0) return message("error_away");
  if (status === 404 && !body.error) return message("error_off");
  return body.about ?? (message(`error_${body.error}`) || message("error_other"));
}
