// Clicks on a figure, none of them lost.
//
// Plotly looks at what is under the pointer at most every 50 ms, and at nothing while a button is
// down. Who points and clicks at once may be looked at in between: Plotly then takes what it knew
// back, and at the end of the click knows of nothing that was clicked. The browser does.

const STILL = 8; // pixels: whoever moves further drags, as Plotly has it

/**
 * @param {PlotlyChart} area of a figure that is drawn
 * @param {PlotlyLibrary} library
 * @param {(point: PlotlyPoint) => void} tell of what was clicked
 */
export function onClicked(area, library, tell) {
  let told = false;
  let from = { clientX: 0, clientY: 0 };
  /** @type {PlotlyPoint | undefined} */
  let under;
  area.on("plotly_hover", ({ points }) => (under = points[0]));
  area.on("plotly_unhover", () => (under = undefined));
  area.on("plotly_click", ({ points }) => {
    told = true;
    tell(points[0]);
  });
  area.addEventListener("pointerdown", (event) => {
    told = false;
    from = event;
  });
  area.addEventListener("click", (event) => {
    const { subplot } = /** @type {HTMLElement} */ (event.target).dataset;
    const [right, down] = [event.clientX - from.clientX, event.clientY - from.clientY];
    if (told || !subplot || Math.max(Math.abs(right), Math.abs(down)) >= STILL) return;
    library.Fx.unhover(area, event); // it looks anew, and at once
    library.Fx.hover(area, event, subplot);
    if (under) tell(under);
  });
}
