// Tells the server that the browser is back.
//
// After a restart of the server, or when a session has outlived its time, the browser connects to a
// session that knows nothing, and by itself says so only with the visitor's next act. This sends
// the page's state at once, so that the act finds its page drawn.

const state = () =>
  document.querySelector("[data-test-connection-state]")?.dataset.testConnectionState;

const instances = new WeakMap();

class Reconnect {
  constructor() {
    this.was = state();
    this.observer = new MutationObserver(() => this.look());
    this.observer.observe(document.body, {
      attributeFilter: ["data-test-connection-state"],
      subtree: true,
    });
  }

  look() {
    const now = state();
    if (now === this.was) return;
    this.was = now;
    if (now === "CONNECTED") this.send("back", Date.now());
  }
}

export default function (component) {
  const root = component.parentElement;
  if (!instances.has(root)) instances.set(root, new Reconnect());
  const reconnect = instances.get(root);
  reconnect.send = component.setTriggerValue;
  return () => reconnect.observer.disconnect();
}
