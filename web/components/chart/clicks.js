// Clicks on a figure. Plotly misses some of them.
//
// Plotly checks the pointer at most every 50 ms, and not while a button is down. After a fast move
// and click, Plotly may have discarded the hovered point, and then reports no click. Therefore this
// script also handles the browser's own click event.

const STILL = 8; // pixels: a longer movement is a drag, as in Plotly

/** @type {(area: PlotlyChart, library: PlotlyLibrary, handle: (point: PlotlyPoint) => void) => void} */
export function onClicked(area, library, handle) {
  let handled = false;
  let from = { clientX: 0, clientY: 0 };
  /** @type {PlotlyPoint | undefined} */
  let under;
  area.on("plotly_hover", ({ points }) => (under = points[0]));
  area.on("plotly_unhover", () => (under = undefined));
  area.on("plotly_click", ({ points }) => {
    handled = true;
    handle(points[0]);
  });
  area.addEventListener("pointerdown", (event) => {
    handled = false;
    from = event;
  });
  area.addEventListener("click", (event) => {
    const { subplot } = /** @type {HTMLElement} */ (event.target).dataset;
    const [right, down] = [event.clientX - from.clientX, event.clientY - from.clientY];
    if (handled || !subplot || Math.max(Math.abs(right), Math.abs(down)) >= STILL) return;
    library.Fx.unhover(area, event); // forces an immediate new hover
    library.Fx.hover(area, event, subplot);
    if (under) handle(under);
  });
}
