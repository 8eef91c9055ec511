// All heads of one model on one canvas, and a lens that enlarges one of them.
//
// The weights arrive once per sentence, as whole ten-thousandths in 16 bits; from then on hovering,
// arrowing and enlarging ask the server nothing. Which head is selected is not part of this
// message (it would be sent again with every click): it comes through the page's view, see sync.js.

const MARGIN = { left: 30, top: 18 };
const GAP = 3;
const LENS_FONT = 10;
const VALUE_CELL = { width: 37, height: 17 };
const instances = new WeakMap();

const four = (tenThousandths) => (tenThousandths / 10000).toFixed(4);
const clamp = (x, low, high) => Math.min(Math.max(x, low), high);

class Overview {
  constructor(root) {
    this.root = root;
    this.canvas = root.querySelector("canvas.grid");
    this.lens = root.querySelector(".lens");
    this.said = root.querySelector(".said");
    this.selected = { layer: 0, head: 0 };
    this.overlaid = [];
    this.hovered = null;
    this.scale = { sqrt: false, low: 0, high: 10000 };
    this.canvas.onpointermove = (event) => this.hover(event);
    this.canvas.onpointerleave = () => this.leave();
    this.canvas.onclick = (event) => this.click(event);
    this.canvas.onkeydown = (event) => this.key(event);
    this.canvas.onblur = () => this.leave();
    this.onView = (event) => this.follow(event.detail);
    this.onPreview = (event) => this.preview(event.detail);
    this.onEscape = (event) => {
      if (event.key === "Escape") this.leave();
    };
    window.addEventListener("headlight-view", this.onView);
    window.addEventListener("headlight-preview", this.onPreview);
    window.addEventListener("keydown", this.onEscape);
    this.resized = new ResizeObserver(() => this.draw());
    this.resized.observe(root);
  }

  close() {
    this.lens.remove();
    this.resized.disconnect();
    window.removeEventListener("headlight-view", this.onView);
    window.removeEventListener("headlight-preview", this.onPreview);
    window.removeEventListener("keydown", this.onEscape);
  }

  receive(component) {
    this.send = component.setTriggerValue;
    const style = getComputedStyle(this.root);
    this.ink = style.getPropertyValue("--st-text-color").trim() || "#333";
    this.paper = style.getPropertyValue("--st-background-color").trim() || "#fff";
    this.data = unpack(component.data);
    this.thumbnails = null;
    this.canvas.setAttribute("aria-label", this.data.description);
    if (window.headlightView) this.adopt(window.headlightView);
    this.draw();
  }

  // What a thumbnail shows: a head, or whatever else the page lays out in columns.
  name(layer, head) {
    const { columns } = this.data;
    return columns ? columns[head] : `L${layer}·H${head}`;
  }

  // -- following the page's view ---------------------------------------------------------------

  adopt(view) {
    const { sqrt, range, overlaid } = view;
    this.selected = { ...view[this.data.side] };
    this.overlaid = overlaid;
    this.linked = view.linked;
    const scale = { sqrt, low: range[0] * 10000, high: range[1] * 10000 };
    if (JSON.stringify(scale) !== JSON.stringify(this.scale)) this.thumbnails = null;
    this.scale = scale;
  }

  follow(view) {
    if (!this.data) return;
    this.adopt(view);
    this.draw();
  }

  preview({ side, layer, head }) {
    if (!this.data || side === this.data.side || !this.linked) return;
    this.selected = this.inside(layer, head);
    this.draw();
  }

  inside(layer, head) {
    return {
      layer: clamp(layer, 0, this.data.layers - 1),
      head: clamp(head, 0, this.data.heads - 1),
    };
  }

  // -- input -----------------------------------------------------------------------------------

  at(event) {
    const box = this.canvas.getBoundingClientRect();
    const head = Math.floor((event.clientX - box.left - MARGIN.left) / this.step);
    const layer = Math.floor((event.clientY - box.top - MARGIN.top) / this.step);
    const known = layer >= 0 && layer < this.data.layers && head >= 0 && head < this.data.heads;
    return known ? { layer, head } : null;
  }

  hover(event) {
    if (event.pointerType === "touch") return;
    const cell = this.at(event);
    const same =
      cell && this.hovered && cell.layer === this.hovered.layer && cell.head === this.hovered.head;
    if (same) return;
    this.hovered = cell;
    this.draw();
    if (cell) this.enlarge(cell);
    else this.lens.hidePopover();
  }

  leave() {
    this.hovered = null;
    if (this.lens.matches(":popover-open")) this.lens.hidePopover();
    this.draw();
  }

  click(event) {
    const cell = this.at(event);
    if (!cell) return;
    if (event.shiftKey || event.ctrlKey || event.metaKey) {
      this.send("overlaid", { ...cell, at: Date.now() });
      return;
    }
    this.select(cell);
    if (event.pointerType !== "touch") this.enlarge(cell);
  }

  key(event) {
    const moves = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };
    const move = moves[event.key];
    if (!move) return;
    event.preventDefault();
    const cell = this.inside(this.selected.layer + move[0], this.selected.head + move[1]);
    this.select(cell, 120); // holding an arrow down asks the server once, at the end
    this.enlarge(cell);
  }

  select(cell, wait = 0) {
    this.selected = cell;
    this.draw();
    const side = this.data.side;
    window.dispatchEvent(new CustomEvent("headlight-preview", { detail: { side, ...cell } }));
    clearTimeout(this.timer);
    const tell = () => this.send("picked", cell);
    if (wait) this.timer = setTimeout(tell, wait);
    else tell();
  }

  // -- drawing ---------------------------------------------------------------------------------

  opacity(value) {
    const { low, high, sqrt } = this.scale;
    const share = clamp((value - low) / Math.max(high - low, 1), 0, 1);
    return sqrt ? Math.sqrt(share) : share;
  }

  colours() {
    const [red, green, blue] = this.data.rgb;
    const table = new Uint32Array(10001);
    for (let value = 0; value <= 10000; value++) {
      const alpha = Math.round(255 * this.opacity(value));
      table[value] = (alpha << 24) | (blue << 16) | (green << 8) | red; // little-endian RGBA
    }
    return table;
  }

  // One small image per head, at most as large as it is shown; of the weights that share a pixel
  // the largest is drawn, so that thin diagonals stay visible.
  drawThumbnails(pixels) {
    const { layers, heads, size, cells } = this.data;
    const side = Math.min(size, Math.max(pixels, 1));
    const image = new ImageData(heads * side, layers * side);
    const rgba = new Uint32Array(image.data.buffer);
    const table = this.colours();
    const place = new Uint16Array(size);
    for (let i = 0; i < size; i++) place[i] = Math.floor((i * side) / size);
    const largest = new Uint16Array(side * side);
    for (let index = 0, cell = 0; index < layers * heads; index++) {
      largest.fill(0);
      for (let query = 0; query < size; query++) {
        const row = place[query] * side;
        for (let key = 0; key < size; key++, cell++) {
          const at = row + place[key];
          if (cells[cell] > largest[at]) largest[at] = cells[cell];
        }
      }
      const corner = Math.floor(index / heads) * side * heads * side + (index % heads) * side;
      for (let y = 0; y < side; y++)
        for (let x = 0; x < side; x++)
          rgba[corner + y * heads * side + x] = table[largest[y * side + x]];
    }
    const canvas = new OffscreenCanvas(image.width, image.height);
    canvas.getContext("2d").putImageData(image, 0, 0);
    return { canvas, side, pixels };
  }

  draw() {
    if (!this.data) return;
    const { layers, heads } = this.data;
    const width = this.root.clientWidth;
    if (!width) return;
    const ratio = window.devicePixelRatio || 1;
    this.step = (width - MARGIN.left) / heads;
    const height = MARGIN.top + this.step * layers;
    const thumbnail = this.step - GAP;
    const pixels = Math.round(thumbnail * ratio);
    if (!this.thumbnails || this.thumbnails.pixels !== pixels) {
      this.thumbnails = this.drawThumbnails(pixels);
    }
    const canvas = this.canvas;
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
    canvas.style.height = `${height}px`;
    const context = canvas.getContext("2d");
    context.scale(ratio, ratio);
    context.imageSmoothingEnabled = false;
    context.fillStyle = this.ink;
    context.font = "11px sans-serif";
    context.textAlign = "center";
    const { columns } = this.data;
    for (let head = 0; head < heads; head++) {
      const heading = columns ? columns[head] : this.step < 24 ? head : `H${head}`;
      context.fillText(heading, this.x(head) + thumbnail / 2, 12);
    }
    context.textAlign = "right";
    const { side } = this.thumbnails;
    for (let layer = 0; layer < layers; layer++) {
      const row = columns ? "" : `L${layer}`;
      context.fillText(row, MARGIN.left - 6, this.y(layer) + thumbnail / 2 + 4);
      for (let head = 0; head < heads; head++) {
        context.globalAlpha = 0.06;
        context.fillRect(this.x(head), this.y(layer), thumbnail, thumbnail);
        context.globalAlpha = 1;
        context.drawImage(
          this.thumbnails.canvas,
          head * side,
          layer * side,
          side,
          side,
          this.x(head),
          this.y(layer),
          thumbnail,
          thumbnail,
        );
      }
    }
    for (const [layer, head, colour] of this.overlaid)
      this.outline(context, layer, head, colour, 2);
    this.outline(context, this.selected.layer, this.selected.head, this.ink, 2.5);
    if (this.hovered) this.outline(context, this.hovered.layer, this.hovered.head, this.ink, 1);
    canvas.dataset.selected = this.name(this.selected.layer, this.selected.head);
    canvas.dataset.sentence = this.data.sentence;
    canvas.dataset.model = this.data.model;
  }

  x(head) {
    return MARGIN.left + head * this.step;
  }

  y(layer) {
    return MARGIN.top + layer * this.step;
  }

  outline(context, layer, head, colour, width) {
    if (layer >= this.data.layers || head >= this.data.heads) return;
    const edge = this.step - GAP + 2;
    context.strokeStyle = colour;
    context.lineWidth = width;
    context.strokeRect(this.x(head) - 1, this.y(layer) - 1, edge, edge);
  }

  // -- the lens --------------------------------------------------------------------------------

  cell(layer, head, query, key) {
    const { heads, size, cells } = this.data;
    return cells[((layer * heads + head) * size + query) * size + key];
  }

  names() {
    const { labels, block, size } = this.data;
    if (block === 1) return labels;
    return Array.from({ length: size }, (_, i) => `${labels[i * block]}…`);
  }

  strongest(layer, head, count) {
    const { size } = this.data;
    const links = [];
    for (let query = 0; query < size; query++)
      for (let key = 0; key < size; key++)
        links.push([this.cell(layer, head, query, key), query, key]);
    return links.sort((a, b) => b[0] - a[0]).slice(0, count);
  }

  enlarge({ layer, head }) {
    const { size, block, strings, model } = this.data;
    const names = this.names();
    const title = this.lens.querySelector(".title");
    title.textContent = `${model} ${this.name(layer, head)}`;
    const note = this.lens.querySelector(".note");
    note.textContent = block > 1 ? strings.pooled : "";
    const label = 74;
    const room = { width: window.innerWidth - 40, height: window.innerHeight - 120 };
    const printed =
      label + size * VALUE_CELL.width <= room.width &&
      label + size * VALUE_CELL.height <= room.height * 0.75;
    const square = clamp(Math.min(room.width * 0.4, room.height * 0.6) / size, 2, 22);
    const wide = printed ? VALUE_CELL.width : square;
    const high = printed ? VALUE_CELL.height : square;
    this.drawLens(layer, head, names, wide, high, label, printed);
    const list = this.lens.querySelector("ol");
    list.hidden = printed;
    const links = this.strongest(layer, head, 12);
    list.replaceChildren(
      ...links.map(([value, query, key]) => {
        const item = document.createElement("li");
        item.textContent = `${names[query]} → ${names[key]}  ${four(value)}`;
        return item;
      }),
    );
    const [value, query, key] = links[0];
    this.said.textContent = `${title.textContent}: ${names[query]} → ${names[key]} ${four(value)}`;
    if (!this.lens.matches(":popover-open")) this.lens.showPopover();
    this.placeLens(layer, head);
  }

  drawLens(layer, head, names, wide, high, label, printed) {
    const { size } = this.data;
    const canvas = this.lens.querySelector("canvas");
    const ratio = window.devicePixelRatio || 1;
    const width = label + size * wide;
    const height = label + size * high;
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
    canvas.style.width = `${width}px`;
    canvas.style.height = `${height}px`;
    const context = canvas.getContext("2d");
    context.scale(ratio, ratio);
    context.font = `${LENS_FONT}px sans-serif`;
    const [red, green, blue] = this.data.rgb;
    const every = Math.ceil(LENS_FONT / Math.min(wide, high)); // label only what fits
    for (let i = 0; i < size; i++) {
      context.fillStyle = this.ink;
      if (i % every === 0) {
        context.textAlign = "right";
        context.fillText(names[i], label - 5, label + (i + 0.5) * high + 3, label - 6);
        context.save();
        context.translate(label + (i + 0.5) * wide + 3, label - 5);
        context.rotate(-Math.PI / 2);
        context.textAlign = "left";
        context.fillText(names[i], 0, 0, label - 6);
        context.restore();
      }
      context.textAlign = "center";
      for (let key = 0; key < size; key++) {
        const value = this.cell(layer, head, i, key);
        const x = label + key * wide;
        const y = label + i * high;
        context.fillStyle = `rgba(${red}, ${green}, ${blue}, ${this.opacity(value)})`;
        context.fillRect(x, y, wide > 4 ? wide - 1 : wide, high > 4 ? high - 1 : high);
        if (printed) {
          context.fillStyle = this.ink;
          context.fillText(four(value), x + wide / 2, y + high / 2 + 3);
        }
      }
    }
  }

  // Beside the head, never over it: below, above, or where there is room.
  placeLens(layer, head) {
    const box = this.canvas.getBoundingClientRect();
    const lens = this.lens.getBoundingClientRect();
    const top = box.top + this.y(layer);
    const bottom = top + this.step;
    const left = box.left + this.x(head);
    let y = bottom + 10;
    if (y + lens.height > window.innerHeight) y = top - lens.height - 10;
    let x = clamp(left - lens.width / 2, 8, window.innerWidth - lens.width - 8);
    if (y < 4) {
      y = clamp(top - lens.height / 2, 4, Math.max(window.innerHeight - lens.height - 4, 4));
      const right = left + this.step + 12;
      x = right + lens.width < window.innerWidth ? right : Math.max(left - lens.width - 12, 4);
    }
    this.lens.style.left = `${x}px`;
    this.lens.style.top = `${y}px`;
  }
}

export default function (component) {
  const root = component.parentElement.querySelector(".overview");
  if (!instances.has(root)) instances.set(root, new Overview(root));
  const overview = instances.get(root);
  overview.receive(component);
  return () => overview.close();
}
