// Requests to the rooms API of the server.

import { message } from "./dom.js";

/**
 * @typedef {{ status: number, body: any }} ApiResponse the status is 0 if the server did not respond;
 *   the body is the JSON, {} without a response, or { text } of everything else
 */

/**
 * @param {string} path below api/rooms
 * @param {{ token?: string, method?: string, body?: object }} [options]
 * @returns {Promise<ApiResponse>}
 */
export async function callApi(path, { token, method = "POST", body = {} } = {}) {
  /** @type {Record<string, string>} */
  const headers = { "Content-Type": "application/json" };
  if (token) headers["Authorization"] = `Bearer ${token}`;
  try {
    const response = await fetch(`api/rooms${path}`, {
      method,
      headers,
      body: method === "POST" ? JSON.stringify(body) : undefined,
    });
    const isJson = response.headers.get("content-type")?.startsWith("application/json");
    const content = isJson ? await response.json() : { text: await response.text() };
    return { status: response.status, body: content };
  } catch {
    return { status: 0, body: {} };
  }
}

/** @param {ApiResponse} response @returns {string} the error in words; "" for a successful request */
export function errorMessage({ status, body }) {
  if (status >= 200 && status < 300) return "";
  if (status === 0 || status === 503) return message("error_away");
  return body.about ?? (message(`error_${body.error}`) || message("error_other"));
}
