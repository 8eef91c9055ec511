// A component's script that imports the rest of it, which the browser caches.

const url = new URL("ADDRESS", window.location.href).href;
const TRIES = 5;

// Browsers remember a failed import of a URL, so each attempt has its own URL.
const fetched = async (tries = 0) => {
  try {
    return await import(tries ? `${url}?again=${tries}` : url);
  } catch (fault) {
    if (tries === TRIES) {
      document.documentElement.dataset.broken = ""; // the router's sentence becomes visible
      window.dispatchEvent(new Event("headlight-script-error")); // reconnect.js reloads the page
      throw fault;
    }
    await new Promise((go) => setTimeout(go, 1000 * tries));
    return fetched(tries + 1);
  }
};
// Two components of one script, such as the view and its state, share one copy of it.
const scripts = (window.headlightScripts ??= new Map());
const module = scripts.get(url) ?? fetched();
scripts.set(url, module);

/** @param {any} component */
export default async function (component) {
  return (await module).default(component);
}
