// A component's script that fetches the rest of it: what a browser keeps is sent once.

// The line may fail: once more then, under an address that the browser does not take for the same.
const url = new URL("ADDRESS", window.location.origin).href;
const module = import(url).catch(() => import(`${url}?again`));

/** @param {any} component */
export default async function (component) {
  return (await module).default(component);
}
