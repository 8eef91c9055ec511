// A slider through the checkpoints of a training, a play button, and what they were measured to do.
//
// Every stop is a model of its own, and the server draws the page with it: playing sends the next
// stop only after the page of the last one has arrived, however slow the server is.

const DWELL = 900; // milliseconds that a stop stays on screen while playing
const PAD = { left: 46, right: 128, top: 10, bottom: 20 };
const CURVES = [
  { name: "loss", colour: "currentColor", line: "dotted", dash: "2 3" },
  { name: "previous", colour: "var(--hue)", line: "solid", dash: "" },
  { name: "next", colour: "var(--hue)", line: "dashed", dash: "6 4" },
];
const instances = new WeakMap();

function shape(name, attributes, text) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  if (text !== undefined) element.textContent = text;
  return element;
}

class Training {
  constructor(root) {
    this.root = root;
    this.button = root.querySelector("button");
    this.slider = root.querySelector("input");
    this.said = root.querySelector("output");
    this.svg = root.querySelector("svg");
    this.legend = root.querySelector(".key");
    this.playing = false;
    this.head = { layer: 0, head: 0 };
    this.button.onclick = () => (this.playing ? this.pause() : this.play());
    this.slider.oninput = () => this.moved();
    this.onView = (event) => this.follow(event.detail);
    this.onPreview = (event) => this.preview(event.detail);
    window.addEventListener("headlight-view", this.onView);
    window.addEventListener("headlight-preview", this.onPreview);
    this.resized = new ResizeObserver(() => this.draw());
    this.resized.observe(root);
  }

  close() {
    clearTimeout(this.timer);
    clearTimeout(this.onward);
    this.resized.disconnect();
    window.removeEventListener("headlight-view", this.onView);
    window.removeEventListener("headlight-preview", this.onPreview);
  }

  receive({ data, setTriggerValue }) {
    this.data = data;
    this.send = setTriggerValue;
    this.root.style.setProperty("--hue", data.hue);
    this.slider.max = data.steps.length - 1;
    this.slider.setAttribute("aria-label", data.strings.step);
    this.svg.setAttribute("aria-label", data.strings.description);
    // What the visitor has moved to meanwhile stands; the server is about to hear of it.
    if (this.asked === undefined || this.asked === data.current) {
      this.asked = undefined;
      this.slider.value = data.current;
      if (this.playing) this.goOn();
    }
    if (window.headlightView) this.head = { ...window.headlightView[data.side] };
    this.draw();
  }

  follow(view) {
    if (!this.data) return;
    this.head = { ...view[this.data.side] };
    this.linked = view.linked;
    this.draw();
  }

  preview({ side, layer, head }) {
    if (!this.data || (side !== this.data.side && !this.linked)) return;
    this.head = { layer, head };
    this.draw();
  }

  // -- moving ----------------------------------------------------------------------------------

  ask(index, wait = 0) {
    clearTimeout(this.timer);
    clearTimeout(this.onward);
    this.slider.value = index;
    this.draw();
    if (index === this.data.current && this.asked === undefined) return;
    this.asked = index;
    this.timer = setTimeout(() => this.send("step", { index, at: Date.now() }), wait);
  }

  moved() {
    this.pause();
    this.ask(Number(this.slider.value), 80); // dragging asks for where it rests
  }

  play() {
    this.playing = true;
    const last = this.data.steps.length - 1;
    if (Number(this.slider.value) === last) this.ask(0);
    else this.goOn(0);
    this.draw();
  }

  pause() {
    this.playing = false;
    clearTimeout(this.onward);
    this.draw();
  }

  goOn(wait = DWELL) {
    clearTimeout(this.onward);
    const next = this.data.current + 1;
    if (next >= this.data.steps.length) {
      this.playing = false;
      return;
    }
    this.onward = setTimeout(() => this.ask(next), wait);
  }

  // -- drawing ---------------------------------------------------------------------------------

  inside() {
    const layers = this.data.previous[0].length;
    const heads = this.data.previous[0][0].length;
    return {
      layer: Math.min(this.head.layer, layers - 1), head: Math.min(this.head.head, heads - 1),
    };
  }

  curve(name) {
    const { layer, head } = this.inside();
    if (name === "loss") return this.data.loss;
    return this.data[name].map((heads) => heads[layer][head]);
  }

  draw() {
    if (!this.data) return;
    const { steps, strings } = this.data;
    const at = Number(this.slider.value);
    const spoken = strings.at[at];
    this.said.textContent = spoken;
    this.slider.setAttribute("aria-valuetext", spoken);
    this.button.textContent = this.playing ? "❚❚" : "▶";
    this.button.setAttribute("aria-label", this.playing ? strings.pause : strings.play);
    this.button.title = this.playing ? strings.pause : strings.play;
    const width = this.root.clientWidth;
    if (!width) return;
    const right = width < 480 ? 12 : PAD.right;
    const [top, bottom] = [PAD.top, 92 - PAD.bottom];
    const x = (i) => PAD.left + (i * (width - PAD.left - right)) / (steps.length - 1);
    const most = Math.max(...this.data.loss);
    const height = { loss: most, previous: 1, next: 1 };
    const y = (name, value) => bottom - (value / height[name]) * (bottom - top);
    const drawn = [
      shape("line", { x1: PAD.left, x2: x(steps.length - 1), y1: bottom, y2: bottom,
        stroke: "currentColor", "stroke-opacity": 0.25 }),
      shape("text", { x: PAD.left - 8, y: bottom + 4, "text-anchor": "end" }, "0"),
      shape("text", { x: PAD.left - 8, y: top + 4, "text-anchor": "end" }, "1"),
      shape("line", { x1: x(at), x2: x(at), y1: top - 6, y2: bottom,
        stroke: this.data.hue, "stroke-width": 2, "stroke-opacity": 0.45 }),
    ];
    for (const { name, colour, dash } of CURVES) {
      const values = this.curve(name);
      const points = values.map((value, i) => `${x(i)},${y(name, value)}`).join(" ");
      drawn.push(shape("polyline", { points, fill: "none", stroke: colour, "stroke-width": 2,
        "stroke-dasharray": dash, "stroke-opacity": name === "loss" ? 0.6 : 1 }));
      drawn.push(shape("circle", { cx: x(at), cy: y(name, values[at]), r: 3.5, fill: colour }));
    }
    steps.forEach((step, i) => {
      const anchor = i === steps.length - 1 ? "end" : i === 0 ? "start" : "middle";
      const label = step.toLocaleString(strings.locale);
      const every = Math.ceil((steps.length * 56) / (width - PAD.left - right));
      if (i % every === 0 || i === steps.length - 1)
        drawn.push(shape("text", { x: x(i), y: 88, "text-anchor": anchor }, label));
      const half = (x(1) - x(0)) / 2;
      const stop = shape("rect", { x: x(i) - half, y: 0, width: 2 * half, height: 92,
        class: "stop" });
      stop.addEventListener("click", () => { this.pause(); this.ask(i); });
      drawn.push(stop);
    });
    this.svg.replaceChildren(...drawn);
    const { layer, head } = this.inside();
    this.legend.replaceChildren(...CURVES.map(({ name, colour, line }) => {
      const entry = document.createElement("span");
      const value = this.curve(name)[at].toFixed(name === "loss" ? 3 : 2);
      const text = name === "loss" ? strings.loss : `L${layer}·H${head} ${strings[name]}`;
      entry.textContent = `${text}: ${value}`;
      entry.style.setProperty("--colour", colour);
      entry.style.setProperty("--line", line);
      return entry;
    }));
  }
}

export default function (component) {
  const root = component.parentElement.querySelector(".training");
  if (!instances.has(root)) instances.set(root, new Training(root));
  const training = instances.get(root);
  training.receive(component);
  return () => training.close();
}
