// Pinned figures in the browser's IndexedDB, which has room for pictures; no server stores them.

const MAX_PINS = 60; // figures
const MAX_CHARACTERS = 40_000_000; // of all pictures

/**
 * @typedef {Picture & { id?: number, place: number, note: string, at: string, page: string }} Pin
 *   `place` sorts the pins; `at` is the time in ISO format; `page` is the name of the page
 */

/** @returns {Promise<Pin[]>} in the order of the report */
export async function pins() {
  /** @type {Pin[]} */
  const found = await inStore("readonly", (store) => store.getAll());
  return found.sort((one, other) => one.place - other.place);
}

/**
 * @param {Pin} pin without an id it is new
 * @returns {Promise<number>} its id
 */
export function putPin(pin) {
  return inStore("readwrite", (store) => store.put(pin));
}

/** @param {number} id */
export function deletePin(id) {
  return inStore("readwrite", (store) => store.delete(id));
}

/**
 * @param {Pin[]} stored
 * @param {Picture} figure
 * @returns {boolean} whether the report has room for a figure
 */
export function hasRoom(stored, figure) {
  const characters = stored.reduce(
    (sum, { picture }) => sum + picture.length,
    figure.picture.length,
  );
  return stored.length < MAX_PINS && characters <= MAX_CHARACTERS;
}

/**
 * @param {IDBTransactionMode} mode
 * @param {(store: IDBObjectStore) => IDBRequest<any>} act
 * @returns {Promise<any>} the result, after it is stored
 */
async function inStore(mode, act) {
  const database = await (connection ??= connect());
  return new Promise((resolve, reject) => {
    const transaction = database.transaction("pins", mode);
    const request = act(transaction.objectStore("pins"));
    // Without an explicit commit, a reload right after the call aborts the transaction.
    transaction.commit();
    transaction.oncomplete = () => resolve(request.result);
    transaction.onabort = () => reject(transaction.error);
  });
}

/** @type {Promise<IDBDatabase> | undefined} */
let connection; // stays open: to open it again for every keystroke delays the transaction

/** @returns {Promise<IDBDatabase>} */
function connect() {
  return new Promise((resolve, reject) => {
    const opened = window.indexedDB.open("headlight", 1);
    opened.onupgradeneeded = () =>
      opened.result.createObjectStore("pins", { keyPath: "id", autoIncrement: true });
    opened.onsuccess = () => {
      opened.result.onclose = disconnect; // the visitor cleared the browser's storage
      resolve(opened.result);
    };
    opened.onerror = () => {
      disconnect();
      reject(opened.error);
    };
  });
}

function disconnect() {
  connection = undefined;
}
