// What every Plotly chart of the product gets: an SVG button beside Plotly's own PNG button, and no
// numbers in cells that are too small to be read.

const READABLE = 7; // pixels: smaller numbers in the cells are noise, and hovering shows them
const instances = new WeakMap();

class Charts {
  constructor() {
    // Streamlit replaces a chart whenever its data changes: find the new one each time.
    this.observer = new MutationObserver(() => this.attach());
    this.observer.observe(document.body, { childList: true, subtree: true });
  }

  receive({ data }) {
    this.strings = data;
    this.attach();
  }

  attach() {
    for (const chart of document.querySelectorAll(".js-plotly-plot")) {
      const bar = chart.querySelector(".modebar");
      if (bar && !bar.querySelector("[data-headlight]")) this.addSvgButton(bar, chart);
      if (chart.headlightReadable || !chart.on) continue;
      chart.headlightReadable = true;
      chart.on("plotly_afterplot", () => hideUnreadable(chart));
      hideUnreadable(chart);
    }
  }

  // Plotly's toolbar saves one format; this adds the other, through the same code.
  addSvgButton(bar, chart) {
    const camera = bar.querySelector('[data-attr="toImage"], [data-title^="Download"]');
    if (!camera) return;
    const button = document.createElement("button");
    button.type = "button";
    button.className = "modebar-btn";
    button.dataset.headlight = "svg";
    button.dataset.title = this.strings.svg;
    button.setAttribute("aria-label", this.strings.svg);
    button.textContent = "SVG";
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

function hideUnreadable(chart) {
  for (const group of chart.querySelectorAll(".heatmap-label")) {
    const text = group.querySelector("text");
    const small = text && parseFloat(text.style.fontSize) < READABLE;
    group.style.visibility = small ? "hidden" : "";
  }
}

export default function (component) {
  const root = component.parentElement;
  if (!instances.has(root)) instances.set(root, new Charts());
  const charts = instances.get(root);
  charts.receive(component);
  return () => charts.observer.disconnect();
}
