// A component's script that fetches the rest of it: what a browser keeps is sent once.

const url = new URL("ADDRESS", window.location.origin).href;
const TRIES = 5;

// A browser takes an address that failed for one that always will: each try has its own.
const fetched = async (tries = 0) => {
  try {
    return await import(tries ? `${url}?again=${tries}` : url);
  } catch (fault) {
    if (tries === TRIES) throw fault;
    await new Promise((go) => setTimeout(go, 1000 * tries));
    return fetched(tries + 1);
  }
};
const module = fetched();

/** @param {any} component */
export default async function (component) {
  return (await module).default(component);
}
