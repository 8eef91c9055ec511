// The local storage of this browser, as JSON. It survives a reload and a restart of the server.

/** @param {string} key @returns {any} null without a valid entry, or where storage is forbidden */
export function readStorage(key) {
  try {
    return JSON.parse(window.localStorage.getItem(key) ?? "null");
  } catch {
    return null;
  }
}

/** @param {string} key @param {unknown} value null removes the entry; lost where storage is forbidden */
export function writeStorage(key, value) {
  try {
    if (value === null) window.localStorage.removeItem(key);
    else window.localStorage.setItem(key, JSON.stringify(value));
  } catch {
    // What is stored lasts as long as the page.
  }
}
