// A head's weights beside its point, while the pointer is over it.
//
// The chart is Plotly's own: this finds it by the key of its container and listens to it. A point
// carries the number of its head, counted through both models.

const SIDE = 176; // pixels on the screen
const instances = new WeakMap();

class Thumbnails {
  constructor(root) {
    this.root = root;
    // Streamlit replaces a chart whenever its data changes: find the new one each time.
    this.observer = new MutationObserver(() => this.attach());
    this.observer.observe(document.body, { childList: true, subtree: true });
  }

  close() {
    this.observer.disconnect();
    if (this.root.matches(":popover-open")) this.root.hidePopover();
  }

  receive({ data }) {
    let start = 0;
    const { sides, cells } = unpack(data);
    this.heads = sides.flatMap((side) =>
      Array.from({ length: side.heads }, (_, number) => {
        const length = side.size * side.size;
        const head = {
          side,
          name: side.names[number],
          cells: cells.subarray(start, start + length),
        };
        start += length;
        return head;
      }),
    );
    this.attach();
  }

  attach() {
    const chart = document.querySelector(".st-key-map .js-plotly-plot");
    if (!chart || chart.headlightThumbnails || !chart.on) return;
    chart.headlightThumbnails = true;
    chart.on("plotly_hover", ({ points, event }) => this.show(points[0].customdata, event));
    chart.on("plotly_unhover", () => this.hide());
  }

  hide() {
    if (this.root.matches(":popover-open")) this.root.hidePopover();
  }

  show(number, event) {
    const head = this.heads?.[number];
    if (!head) return;
    const { size, rgb, labels, block, model } = head.side;
    this.root.querySelector(".title").textContent = `${model} ${head.name}`;
    this.draw(head.cells, size, rgb);
    let strongest = 0;
    for (let i = 1; i < head.cells.length; i++) {
      if (head.cells[i] > head.cells[strongest]) strongest = i;
    }
    const name = (at) => labels[at * block] + (block > 1 ? "…" : "");
    this.root.querySelector(".note").textContent =
      `${name(Math.floor(strongest / size))} → ${name(strongest % size)}  ` +
      (head.cells[strongest] / 10000).toFixed(4);
    if (!this.root.matches(":popover-open")) this.root.showPopover();
    const box = this.root.getBoundingClientRect();
    // Below the point or above it: beside it Plotly writes its name.
    const { clientX, clientY } = event;
    const below = clientY + 24 + box.height < window.innerHeight;
    this.root.style.top = `${below ? clientY + 24 : Math.max(clientY - 24 - box.height, 4)}px`;
    const rightmost = window.innerWidth - box.width - 4;
    this.root.style.left = `${Math.max(Math.min(clientX - box.width / 2, rightmost), 4)}px`;
  }

  draw(cells, size, [red, green, blue]) {
    const canvas = this.root.querySelector("canvas");
    canvas.width = canvas.height = size;
    canvas.style.width = canvas.style.height = `${SIDE}px`;
    const image = new ImageData(size, size);
    for (let i = 0; i < cells.length; i++) {
      image.data.set([red, green, blue, Math.round((255 * cells[i]) / 10000)], 4 * i);
    }
    canvas.getContext("2d").putImageData(image, 0, 0);
  }
}

export default function (component) {
  const root = component.parentElement.querySelector(".thumbnail");
  if (!instances.has(root)) instances.set(root, new Thumbnails(root));
  const thumbnails = instances.get(root);
  thumbnails.receive(component);
  return () => thumbnails.close();
}
