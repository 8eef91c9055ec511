// The tokens as buttons: piece, id, and whether it is picked. User text only ever becomes
// textContent.

const instances = new WeakMap();

class Chips {
  constructor(root) {
    this.root = root;
    this.onView = () => this.mark();
    window.addEventListener("headlight-view", this.onView);
  }

  close() {
    window.removeEventListener("headlight-view", this.onView);
  }

  receive({ data, setTriggerValue }) {
    this.data = data;
    this.picked = new Set(data.picked);
    this.send = setTriggerValue;
    this.root.setAttribute("aria-label", data.label);
    this.root.style.setProperty("--hue", data.hue);
    this.buttons = data.chips.map((chip, index) => this.button(chip, index));
    this.root.replaceChildren(...this.buttons);
    this.mark();
  }

  button(chip, index) {
    const button = document.createElement("button");
    button.type = "button";
    button.className = chip.kind;
    button.title = chip.title;
    const piece = document.createElement("span");
    piece.className = "piece";
    piece.textContent = chip.label;
    const ids = document.createElement("span");
    ids.className = "ids";
    ids.textContent = chip.ids;
    button.append(piece, ids);
    button.onclick = () => this.toggle(index);
    return button;
  }

  toggle(index) {
    if (!this.picked.delete(index)) this.picked.add(index);
    this.show();
    this.send(
      "picked",
      [...this.picked].sort((a, b) => a - b),
    );
  }

  mark() {
    const view = window.headlightView;
    if (view && this.data) this.picked = new Set(view.picked[this.data.side]);
    this.show();
  }

  show() {
    this.buttons?.forEach((button, index) =>
      button.setAttribute("aria-pressed", String(this.picked.has(index))),
    );
  }
}

export default function (component) {
  const root = component.parentElement.querySelector(".chips");
  if (!instances.has(root)) instances.set(root, new Chips(root));
  const chips = instances.get(root);
  chips.receive(component);
  return () => chips.close();
}
