// A slider through stops, a play button, and curves over them.
//
// The server draws the page anew for every stop: playing asks for the next one only after the page
// of the last one has arrived, however slow the server is. A curve may be one of many, a head's: it
// follows the selected head without asking the server.

const DWELL = 900; // milliseconds that a stop stays on screen while playing
const PAD = { left: 46, right: 128, top: 10, bottom: 20 };
const HEIGHT = 92;
const instances = new WeakMap();

function shape(name, attributes, text) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  if (text !== undefined) element.textContent = text;
  return element;
}

class Player {
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
    this.slider.max = data.stops.length - 1;
    this.slider.setAttribute("aria-label", data.strings.name);
    this.svg.setAttribute("aria-label", data.strings.description);
    // What the visitor has moved to meanwhile stands; the server is about to hear of it.
    if (this.asked === undefined || this.asked === data.current) {
      this.asked = undefined;
      this.slider.value = data.current;
      if (this.playing) this.goOn();
    }
    if (window.headlightView) this.head = { ...window.headlightView[data.side] };
    this.svg.toggleAttribute("hidden", data.curves.length === 0);
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
    this.timer = setTimeout(() => this.send("stop", { index, at: Date.now() }), wait);
  }

  moved() {
    this.pause();
    this.ask(Number(this.slider.value), 80); // dragging asks for where it rests
  }

  play() {
    this.playing = true;
    const last = this.data.stops.length - 1;
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
    if (next >= this.data.stops.length) {
      this.playing = false;
      return;
    }
    this.onward = setTimeout(() => this.ask(next), wait);
  }

  // -- drawing ---------------------------------------------------------------------------------

  name({ layer, head }) {
    return `L${layer}·H${head}`;
  }

  // The selected head, inside what a curve's model has.
  inside(heads) {
    return {
      layer: Math.min(this.head.layer, heads[0].length - 1),
      head: Math.min(this.head.head, heads[0][0].length - 1),
    };
  }

  values({ values, heads }) {
    if (!heads) return values;
    const { layer, head } = this.inside(heads);
    return heads.map((stop) => stop[layer][head]);
  }

  draw() {
    if (!this.data) return;
    const { stops, spoken: names, curves, strings } = this.data;
    const at = Number(this.slider.value);
    const spoken = names[at];
    this.said.textContent = spoken;
    this.slider.setAttribute("aria-valuetext", spoken);
    this.button.textContent = this.playing ? "❚❚" : "▶";
    this.button.setAttribute("aria-label", this.playing ? strings.pause : strings.play);
    this.button.title = this.playing ? strings.pause : strings.play;
    this.legend.replaceChildren(...curves.map((curve) => this.entry(curve, at)));
    const width = this.root.clientWidth;
    if (!width || !curves.length) return;
    const right = width < 480 ? 12 : PAD.right;
    const [top, bottom] = [PAD.top, HEIGHT - PAD.bottom];
    const x = (i) => PAD.left + (i * (width - PAD.left - right)) / (stops.length - 1);
    const y = (value, most) => bottom - (value / most) * (bottom - top);
    const end = x(stops.length - 1);
    const drawn = [
      shape("line", {
        x1: PAD.left,
        x2: end,
        y1: bottom,
        y2: bottom,
        stroke: "currentColor",
        "stroke-opacity": 0.25,
      }),
      shape("text", { x: PAD.left - 8, y: bottom + 4, "text-anchor": "end" }, "0"),
      shape("text", { x: PAD.left - 8, y: top + 4, "text-anchor": "end" }, "1"),
      shape("line", {
        x1: x(at),
        x2: x(at),
        y1: top - 6,
        y2: bottom,
        stroke: this.data.hue,
        "stroke-width": 2,
        "stroke-opacity": 0.45,
      }),
    ];
    for (const curve of curves) {
      const values = this.values(curve);
      const { colour, dash, most } = curve;
      const points = values.map((value, i) => `${x(i)},${y(value, most)}`).join(" ");
      drawn.push(
        shape("polyline", {
          points,
          fill: "none",
          stroke: colour,
          "stroke-width": 2,
          "stroke-dasharray": dash,
        }),
      );
      drawn.push(shape("circle", { cx: x(at), cy: y(values[at], most), r: 3.5, fill: colour }));
    }
    const every = Math.ceil((stops.length * 56) / (width - PAD.left - right));
    const half = (x(1) - x(0)) / 2;
    const last = stops.length - 1;
    stops.forEach((label, i) => {
      const anchor = i === last ? "end" : i === 0 ? "start" : "middle";
      // The last stop has its name always: one that would run into it goes without.
      if (i === last || (i % every === 0 && last - i >= every))
        drawn.push(shape("text", { x: x(i), y: HEIGHT - 4, "text-anchor": anchor }, label));
      const stop = shape("rect", {
        x: x(i) - half,
        y: 0,
        width: 2 * half,
        height: HEIGHT,
        class: "stop",
      });
      stop.addEventListener("click", () => {
        this.pause();
        this.ask(i);
      });
      drawn.push(stop);
    });
    this.svg.replaceChildren(...drawn);
  }

  entry(curve, at) {
    const entry = document.createElement("span");
    const value = this.values(curve)[at].toFixed(curve.digits);
    const whose = curve.heads ? `${this.name(this.inside(curve.heads))} ` : "";
    entry.textContent = `${whose}${curve.label}: ${value}`;
    entry.style.setProperty("--colour", curve.colour);
    entry.style.setProperty("--line", curve.line);
    return entry;
  }
}

export default function (component) {
  const root = component.parentElement.querySelector(".player");
  if (!instances.has(root)) instances.set(root, new Player(root));
  const player = instances.get(root);
  player.receive(component);
  return () => player.close();
}
