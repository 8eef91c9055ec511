// Attention as lines from attending tokens (left) to attended tokens (right), one colour per head.
// Weights arrive as whole ten-thousandths; hovering isolates a token and prints its numbers.

const FAINTEST = 100; // lines below 0.01 are not drawn; hovering still prints their numbers
const instances = new WeakMap();

class Lines {
  constructor(root) {
    this.root = root;
    this.canvas = root.querySelector("canvas");
    this.legend = root.querySelector(".legend");
    this.hovered = null;
    this.canvas.onpointermove = (event) => this.hover(this.at(event));
    this.canvas.onpointerleave = () => this.hover(null);
    this.canvas.onclick = (event) => this.click(this.at(event));
    this.onView = () => this.draw();
    window.addEventListener("headlight-view", this.onView);
    this.resized = new ResizeObserver(() => this.draw());
    this.resized.observe(root);
  }

  close() {
    this.resized.disconnect();
    window.removeEventListener("headlight-view", this.onView);
  }

  receive(component) {
    this.send = component.setTriggerValue;
    this.data = unpack(component.data);
    this.ink = getComputedStyle(this.root).getPropertyValue("--st-text-color").trim() || "#333";
    this.canvas.setAttribute("aria-label", this.data.description);
    this.legend.replaceChildren(
      ...this.data.names.map((name, index) => {
        const item = document.createElement("span");
        item.textContent = name;
        item.style.setProperty("--colour", this.data.colours[index]);
        return item;
      }),
    );
    this.draw();
  }

  picked() {
    return window.headlightView ? window.headlightView.picked[this.data.side] : [];
  }

  at(event) {
    const box = this.canvas.getBoundingClientRect();
    const token = Math.floor((event.clientY - box.top - 4) / this.row);
    if (token < 0 || token >= this.data.size) return null;
    return { token, query: event.clientX - box.left < box.width / 2 };
  }

  hover(where) {
    const before = this.hovered;
    if (where && before && where.token === before.token && where.query === before.query) return;
    this.hovered = where;
    this.draw();
  }

  click(where) {
    if (!where) return;
    const picked = new Set(this.picked());
    if (!picked.delete(where.token)) picked.add(where.token);
    this.send(
      "picked",
      [...picked].sort((a, b) => a - b),
    );
  }

  weight(head, query, key) {
    const { size, cells } = this.data;
    return cells[(head * size + query) * size + key];
  }

  opacity(value) {
    const view = window.headlightView;
    const [low, high] = view ? view.range : [0, 1];
    const share = Math.min(Math.max((value / 10000 - low) / Math.max(high - low, 1e-4), 0), 1);
    return view && view.sqrt ? Math.sqrt(share) : share;
  }

  // A hovered token is isolated; otherwise the picked ones, if any; otherwise all are shown.
  isShown(query, key) {
    if (this.hovered) return this.hovered.token === (this.hovered.query ? query : key);
    const picked = this.picked();
    return picked.length === 0 || picked.includes(query);
  }

  draw() {
    const width = this.root.clientWidth;
    if (!this.data || !width) return;
    const { size, labels, heads } = this.data;
    const ratio = window.devicePixelRatio || 1;
    this.row = Math.min(24, Math.max(11, 3200 / size));
    const height = size * this.row + 8;
    this.canvas.width = Math.round(width * ratio);
    this.canvas.height = Math.round(height * ratio);
    this.canvas.style.height = `${height}px`;
    const context = this.canvas.getContext("2d");
    context.scale(ratio, ratio);
    const gutter = Math.min(150, width * 0.32);
    const middle = (token) => 4 + (token + 0.5) * this.row;
    context.lineWidth = 1.6;
    for (let head = 0; head < heads; head++) {
      const shift = (head - (heads - 1) / 2) * Math.min(2.5, this.row / (heads + 1));
      context.strokeStyle = this.data.colours[head];
      for (let query = 0; query < size; query++)
        for (let key = 0; key < size; key++) {
          const value = this.weight(head, query, key);
          if (value < FAINTEST || !this.isShown(query, key)) continue;
          context.globalAlpha = this.opacity(value);
          context.beginPath();
          context.moveTo(gutter, middle(query) + shift);
          context.lineTo(width - gutter, middle(key) + shift);
          context.stroke();
        }
    }
    context.globalAlpha = 1;
    this.drawTokens(context, labels, gutter, width, middle);
  }

  drawTokens(context, labels, gutter, width, middle) {
    const font = Math.min(14, this.row * 0.62);
    const picked = this.picked();
    context.fillStyle = this.ink;
    labels.forEach((label, token) => {
      const y = middle(token) + font * 0.35;
      const strong = picked.includes(token);
      context.font = `${strong ? "bold " : ""}${font}px sans-serif`;
      context.textAlign = "right";
      context.fillText(this.withNumbers(label, token, true), gutter - 6, y, gutter - 8);
      context.textAlign = "left";
      context.fillText(this.withNumbers(label, token, false), width - gutter + 6, y, gutter - 8);
    });
  }

  // Beside the other end of a hovered token's lines, their weights to four decimals.
  withNumbers(label, token, isQuery) {
    if (!this.hovered || this.hovered.query === isQuery) return label;
    const numbers = [];
    for (let head = 0; head < Math.min(this.data.heads, 3); head++) {
      const value = isQuery
        ? this.weight(head, token, this.hovered.token)
        : this.weight(head, this.hovered.token, token);
      numbers.push((value / 10000).toFixed(4));
    }
    return isQuery ? `${numbers.join(" ")}  ${label}` : `${label}  ${numbers.join(" ")}`;
  }
}

export default function (component) {
  const root = component.parentElement.querySelector(".lines");
  if (!instances.has(root)) instances.set(root, new Lines(root));
  const lines = instances.get(root);
  lines.receive(component);
  return () => lines.close();
}
