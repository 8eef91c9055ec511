// Observer of the requests for a run, and of the server's messages.
//
// Replaces: WebSocket.prototype.send, by a function that looks at the first byte and calls it.
// Why: Streamlit shows that a run was requested only after the server has reported it. On a slow
// connection, a step through the browser's history would overtake the response to an action.
// Upstream: not reported: a component cannot learn that another widget has sent a value.
// Delete it when Streamlit marks the page as waiting as soon as it sends a request.

const STREAM = "/_stcore/stream";
// First byte of a BackMsg with the field `rerun_script`: field 11, wire type 2.
const RERUN_TAG = (11 << 3) | 2;

/**
 * Observe when Streamlit requests a run, and when the server sends a message.
 *
 * @type {(signal: AbortSignal, onRequest: () => void, onMessage: () => void) => void}
 */
export function observeMessages(signal, onRequest, onMessage) {
  const { send } = WebSocket.prototype;
  /** @type {WeakSet<WebSocket>} */
  const observed = new WeakSet();
  /** @this {WebSocket} */
  WebSocket.prototype.send = function (data) {
    if (
      !signal.aborted &&
      this.url.includes(STREAM) &&
      /** @type {Uint8Array} */ (data)[0] === RERUN_TAG
    ) {
      if (!observed.has(this)) this.addEventListener("message", onMessage, { signal });
      observed.add(this);
      onRequest();
    }
    send.call(this, data);
  };
}
