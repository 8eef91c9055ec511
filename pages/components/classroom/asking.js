// The rooms' own addresses on the server.

/**
 * @typedef {object} Said
 * @property {number} status 0 where nobody answered
 * @property {any} said what the server's JSON says, or {}
 */

/**
 * @param {string} path behind /api/rooms
 * @param {{ token?: string, method?: string, body?: object }} [how]
 * @returns {Promise<Said>}
 */
export async function askRooms(path, { token, method = "POST", body } = {}) {
  const headers = { "Content-Type": "application/json" };
  if (token) headers["Authorization"] = `Bearer ${token}`;
  const sent = method === "GET" || method === "DELETE" ? undefined : JSON.stringify(body ?? {});
  try {
    const answer = await fetch(`/api/rooms${path}`, { method, headers, body: sent });
    const text = await answer.text();
    return { status: answer.status, said: parsed(text) };
  } catch {
    return { status: 0, said: {} };
  }
}

/** @param {string} text */
function parsed(text) {
  try {
    return JSON.parse(text) ?? {};
  } catch {
    return { text };
  }
}

/**
 * @param {Said} answer
 * @param {Record<string, string>} words
 * @returns {string} what went wrong
 */
export function inWords({ status, said }, words) {
  if (status === 0) return words.error_away;
  if (status === 404 && !said.error) return words.error_off;
  return said.about ?? words[`error_${said.error}`] ?? words.error_other;
}
