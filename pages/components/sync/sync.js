// Tells the canvas views what the page shows, and listens to the Plotly heatmaps.
//
// The view (selected heads, picked tokens, colour scale) is a few hundred bytes and changes often;
// the overviews are megabytes and change rarely. Keeping them apart is what makes a click cheap.

const instances = new WeakMap();

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
    }
  }

  // A click on a cell picks its row: the token that attends.
  clicked(side, point) {
    const row = point.pointIndex ? point.pointIndex[0] : point.pointNumber[0];
    const picked = new Set(this.data.view.picked[side]);
    if (!picked.delete(row)) picked.add(row);
    this.send("picked", { side, units: [...picked].sort((a, b) => a - b) });
  }
}

export default function (component) {
  const root = component.parentElement.querySelector(".sync");
  if (!instances.has(root)) instances.set(root, new Sync(root));
  const sync = instances.get(root);
  sync.receive(component);
  return () => sync.close();
}
