// Tells the canvas views what the page shows, and listens to the Plotly heatmaps.
//
// The view (selected heads, picked tokens, colour scale) is a few hundred bytes and changes often;
// the overviews are megabytes and change rarely. Keeping them apart is what makes a click cheap.

const instances = new WeakMap();

const SVG_ICON = "SVG";
const READABLE = 7; // pixels: smaller numbers in the cells are noise, and hovering shows them

class Sync {
  constructor(root) {
    this.root = root;
    this.button = root.querySelector("button");
    this.button.onclick = () => copyLink(this.button, this.data.strings);
    // Streamlit replaces a chart whenever its data changes: find the new one each time.
    this.observer = new MutationObserver(() => this.attach());
    this.observer.observe(document.body, { childList: true, subtree: true });
  }

  close() {
    this.observer.disconnect();
    delete window.headlightView;
  }

  receive({ data, setTriggerValue }) {
    this.data = data;
    this.send = setTriggerValue;
    this.button.textContent = data.strings.copy;
    window.headlightView = data.view;
    window.dispatchEvent(new CustomEvent("headlight-view", { detail: data.view }));
    this.attach();
  }

  attach() {
    for (const side of ["left", "right"]) {
      const chart = document.querySelector(`.st-key-heatmap_${side} .js-plotly-plot`);
      if (!chart || chart.headlight || !chart.on) continue;
      chart.headlight = true;
      chart.on("plotly_click", ({ points }) => this.clicked(side, points[0]));
      chart.on("plotly_afterplot", () => this.hideUnreadable(chart));
      this.hideUnreadable(chart);
    }
    for (const bar of document.querySelectorAll(".js-plotly-plot .modebar"))
      if (!bar.querySelector("[data-headlight]")) this.addSvgButton(bar);
  }

  hideUnreadable(chart) {
    for (const group of chart.querySelectorAll(".heatmap-label")) {
      const text = group.querySelector("text");
      const small = text && parseFloat(text.style.fontSize) < READABLE;
      group.style.visibility = small ? "hidden" : "";
    }
  }

  // A click on a cell picks its row: the token that attends.
  clicked(side, point) {
    const row = point.pointIndex ? point.pointIndex[0] : point.pointNumber[0];
    const picked = new Set(this.data.view.picked[side]);
    if (!picked.delete(row)) picked.add(row);
    this.send("picked", { side, units: [...picked].sort((a, b) => a - b) });
  }

  // Plotly's toolbar saves one format; this adds the other, through the same code.
  addSvgButton(bar) {
    const camera = bar.querySelector('[data-attr="toImage"], [data-title^="Download"]');
    const chart = bar.closest(".js-plotly-plot");
    if (!camera || !chart) return;
    const button = document.createElement("button");
    button.type = "button";
    button.className = "modebar-btn";
    button.dataset.headlight = "svg";
    button.dataset.title = this.data.strings.svg;
    button.setAttribute("aria-label", this.data.strings.svg);
    button.textContent = SVG_ICON;
    button.style.cssText = "font-size:10px;font-weight:600;cursor:pointer;padding:3px 4px;color:inherit";
    button.onclick = () => {
      const options = chart._context.toImageButtonOptions;
      const format = options.format;
      options.format = "svg";
      camera.click();
      options.format = format;
    };
    camera.parentElement.append(button);
  }
}

export default function (component) {
  const root = component.parentElement.querySelector(".sync");
  if (!instances.has(root)) instances.set(root, new Sync(root));
  const sync = instances.get(root);
  sync.receive(component);
  return () => sync.close();
}
