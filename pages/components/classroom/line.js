// The line to the room: whoever loses it, or sleeps, comes back by themselves.

const FIRST = 400; // milliseconds before the first new try
const SLOWEST = 5_000;
const SILENCE = 40_000; // after which a line is taken for dead: the server speaks every 15 seconds
const PULSE = 10_000;
const FOR_GOOD = ["unknown", "forbidden", "bad"];

export class Line {
  /**
   * @param {string} code
   * @param {string} token
   * @param {(state: RoomState) => void} hear
   * @param {(line: LineState) => void} changed
   */
  constructor(code, token, hear, changed) {
    this.code = code;
    this.token = token;
    this.hear = hear;
    this.changed = changed;
    this.tries = 0;
    this.refused = false;
    this.ended = new AbortController();
    const { signal } = this.ended;
    const look = () => this.look();
    window.addEventListener("online", look, { signal });
    window.addEventListener("offline", () => this.socket?.close(), { signal });
    window.addEventListener("pageshow", look, { signal });
    document.addEventListener("visibilitychange", look, { signal });
    this.pulse = setInterval(look, PULSE); // a network that is gone says nothing
    this.connect();
  }

  connect() {
    clearTimeout(this.timer);
    this.socket?.close();
    this.heard = Date.now();
    const socket = new WebSocket(`${origin()}/api/rooms/${this.code}/live`);
    this.socket = socket;
    socket.onopen = () => socket.send(JSON.stringify({ token: this.token }));
    socket.onmessage = ({ data }) => socket === this.socket && this.received(data);
    socket.onclose = () => socket === this.socket && this.closed();
  }

  /** @param {string} text */
  received(text) {
    this.heard = Date.now();
    const said = JSON.parse(text);
    if (FOR_GOOD.includes(said.error)) this.refused = true;
    if (!("role" in said)) return; // it only shows that somebody is there
    this.tries = 0;
    this.changed("connected");
    this.hear(said);
  }

  closed() {
    if (this.ended.signal.aborted) return;
    this.socket = null;
    if (this.refused) {
      this.changed("refused");
      return;
    }
    this.changed("away");
    const wait = Math.min(FIRST * 2 ** this.tries++, SLOWEST);
    this.timer = setTimeout(() => this.connect(), wait * (0.5 + Math.random() / 2));
  }

  /** Somebody is back: from another window, from sleep, from a place without a network. */
  look() {
    if (document.visibilityState !== "visible") return;
    const silent = Date.now() - this.heard > SILENCE;
    if (this.socket?.readyState === WebSocket.CONNECTING) return;
    if (this.socket?.readyState === WebSocket.OPEN && !silent) return;
    if (!this.refused) this.connect();
  }

  end() {
    this.ended.abort();
    clearTimeout(this.timer);
    clearInterval(this.pulse);
    this.socket?.close();
  }
}

function origin() {
  return window.location.origin.replace(/^http/, "ws");
}
