// Loads the classroom component when this browser enters a room, and not before.

import { readStorage } from "../common/storage.js";

const url = new URL("ADDRESS", window.location.href).href;

/** @param {any} component */
export default function (component) {
  const removed = new AbortController();
  let end = () => {};
  const load = async () => {
    const module = await import(url)
      .catch(() => import(`${url}?again`))
      .catch((fault) => {
        document.documentElement.dataset.broken = ""; // as in common/imported.js
        throw fault;
      });
    if (!removed.signal.aborted) end = module.default(component);
  };
  if (readStorage("headlight.room")) load();
  else window.addEventListener("headlight-room", load, { once: true, signal: removed.signal });
  return () => {
    removed.abort();
    end();
  };
}
