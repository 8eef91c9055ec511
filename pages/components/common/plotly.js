// Streamlit replaces a Plotly chart whenever its data changes: these find the new one each time.

/**
 * React to every change of the page, and now.
 *
 * One observer serves all components: it announces what it sees as an event of the window, where
 * the components meet, each being a script of its own.
 *
 * @param {() => void} react
 * @param {AbortSignal} signal ends it
 */
export function onChange(react, signal) {
  if (!window.headlightObserver) {
    const announce = () => window.dispatchEvent(new Event("headlight-change"));
    window.headlightObserver = new MutationObserver(announce);
    window.headlightObserver.observe(document.body, { childList: true, subtree: true });
  }
  window.addEventListener("headlight-change", react, { signal });
  react();
}

/**
 * Meet every chart that a selector finds, once, as soon as Plotly has drawn it.
 *
 * @param {string} selector
 * @param {(chart: PlotlyChart, listen: PlotlyChart["on"]) => void} meet
 * @param {AbortSignal} signal ends it, and what `listen` was given
 */
export function onCharts(selector, meet, signal) {
  const met = new WeakSet();
  onChange(() => {
    for (const chart of /** @type {NodeListOf<PlotlyChart>} */ (
      document.querySelectorAll(selector)
    )) {
      if (met.has(chart) || !chart.on) continue;
      met.add(chart);
      meet(chart, (name, handle) => {
        chart.on(name, (event) => signal.aborted || handle(event));
      });
    }
  }, signal);
}
