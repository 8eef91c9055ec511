// One pair of sinusoids: a point that moves on its circle as the position slides. Both numbers are
// the formula itself, in the 64 bits that the server computes it in.

const SVG = "http://www.w3.org/2000/svg";
const TRAIL = 60; // earlier positions that stay visible
const instances = new WeakMap();

class Phasor {
  constructor(root) {
    this.root = root;
    this.svg = root.querySelector("svg");
    this.slider = root.querySelector("input");
    this.slider.oninput = () => this.draw();
    this.slider.value = 7;
  }

  receive({ data }) {
    this.data = data;
    this.root.style.setProperty("--point", data.colour);
    this.root.style.setProperty("--second", data.second);
    this.root.querySelector(".title").textContent = data.strings.title;
    this.root.querySelector(".formula").replaceChildren(formula(data.formula));
    this.root.querySelector("label span").textContent = data.strings.position;
    this.slider.setAttribute("aria-label", data.strings.position);
    const at = Math.min(Number(this.slider.value), data.last);
    this.slider.max = data.last;
    this.slider.value = at;
    this.draw();
  }

  draw() {
    const { omega, strings } = this.data;
    const position = Number(this.slider.value);
    const angle = position * omega;
    const [sine, cosine] = [Math.sin(angle), Math.cos(angle)];
    const parts = [
      shape("circle", "ring", { cx: 0, cy: 0, r: 1 }),
      shape("line", "axis", { x1: -1.2, y1: 0, x2: 1.2, y2: 0 }),
      shape("line", "axis", { x1: 0, y1: -1.2, x2: 0, y2: 1.2 }),
    ];
    for (let past = Math.max(0, position - TRAIL); past < position; past++)
      parts.push(dot("past", past * omega, 0.03));
    // Cosine to the right, sine upwards (the screen's y grows downwards).
    parts.push(
      shape("line", "hand", { x1: 0, y1: 0, x2: cosine, y2: -sine }),
      shape("line", "cosine", { x1: 0, y1: 0, x2: cosine, y2: 0 }),
      shape("line", "sine", { x1: cosine, y1: 0, x2: cosine, y2: -sine }),
      dot("here", angle, 0.06),
    );
    this.svg.replaceChildren(...parts);
    const numbers = [
      [strings.sine, sine.toFixed(6)],
      [strings.cosine, cosine.toFixed(6)],
      [strings.angle, `${angle.toFixed(4)} rad`],
      [strings.turns, (angle / (2 * Math.PI)).toFixed(4)],
    ];
    const list = numbers.flatMap(([name, value]) => [
      text("dt", name),
      text("dd", value.replace("-", "−")),
    ]);
    this.root.querySelector("dl").replaceChildren(...list);
    this.root.querySelector("output").textContent = String(position);
    this.svg.setAttribute("aria-label", numbers.map((pair) => pair.join(" ")).join(", "));
  }
}

function shape(name, kind, attributes) {
  const element = document.createElementNS(SVG, name);
  element.setAttribute("class", kind);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  return element;
}

function dot(kind, angle, r) {
  return shape("circle", kind, { cx: Math.cos(angle), cy: -Math.sin(angle), r });
}

function text(name, content) {
  const element = document.createElement(name);
  element.textContent = content;
  return element;
}

export default function (component) {
  const root = component.parentElement.querySelector(".phasor");
  if (!instances.has(root)) instances.set(root, new Phasor(root));
  instances.get(root).receive(component);
}
