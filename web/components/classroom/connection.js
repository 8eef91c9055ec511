// The WebSocket to a room. It reconnects after an error, after sleep, and after silence.

const FIRST_RETRY = 400; // milliseconds
const LAST_RETRY = 5_000;
const TIMEOUT = 40_000; // the server sends a message every 15 seconds
const CHECK_INTERVAL = 10_000;
const FINAL_ERRORS = ["unknown", "forbidden", "bad", "ended", "full"];

export class RoomConnection {
  /**
   * @param {string} code
   * @param {string} token
   * @param {(room: RoomState) => void} receive
   * @param {(state: ConnectionState) => void} setState
   */
  constructor(code, token, receive, setState) {
    this.code = code;
    this.token = token;
    this.receive = receive;
    this.setState = setState;
    this.retries = 0;
    this.refused = false;
    this.closed = new AbortController();
    const { signal } = this.closed;
    const check = () => this.check();
    window.addEventListener("online", check, { signal });
    window.addEventListener("offline", () => this.socket?.close(), { signal });
    window.addEventListener("pageshow", check, { signal });
    document.addEventListener("visibilitychange", check, { signal });
    // A lost network closes no socket.
    this.interval = setInterval(check, CHECK_INTERVAL);
    this.connect();
  }

  connect() {
    clearTimeout(this.timer);
    this.socket?.close();
    this.receivedAt = Date.now();
    const { href } = new URL(`api/rooms/${this.code}/live`, window.location.href);
    const socket = new WebSocket(href.replace(/^http/, "ws"), this.token);
    this.socket = /** @type {WebSocket | null} */ (socket);
    socket.onmessage = ({ data }) => socket === this.socket && this.onMessage(data);
    socket.onclose = () => socket === this.socket && this.onClose();
  }

  /** @param {string} text */
  onMessage(text) {
    this.receivedAt = Date.now();
    const received = JSON.parse(text);
    if (FINAL_ERRORS.includes(received.error)) this.refused = true;
    if (!("role" in received)) return; // a keep-alive message or an error
    this.retries = 0;
    this.setState("connected");
    this.receive(received);
  }

  onClose() {
    if (this.closed.signal.aborted) return;
    this.socket = null;
    if (this.refused) return this.setState("refused");
    this.setState("away");
    const delay = Math.min(FIRST_RETRY * 2 ** this.retries++, LAST_RETRY);
    this.timer = setTimeout(() => this.connect(), delay * (0.5 + Math.random() / 2));
  }

  /** Reconnect if the socket is closed or silent, and the page is visible. */
  check() {
    if (document.visibilityState !== "visible" || this.refused) return;
    const silent = Date.now() - (this.receivedAt ?? 0) > TIMEOUT;
    const state = this.socket?.readyState;
    if (state === WebSocket.CONNECTING || (state === WebSocket.OPEN && !silent)) return;
    this.connect();
  }

  close() {
    this.closed.abort();
    clearTimeout(this.timer);
    clearInterval(this.interval);
    this.socket?.close();
  }
}
