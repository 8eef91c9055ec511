// Loader of Plotly: 4.8 MB, loaded when the first figure is drawn, and cached by the browser.

const AGAIN = 3000; // milliseconds until a failed download is retried

/** Download Plotly; a failed download is retried. @param {string} url */
export function plotly(url) {
  window.headlightPlotly ??= new Promise((resolve) => {
    const load = () => {
      const script = document.createElement("script");
      script.src = url;
      script.onload = () => resolve(/** @type {PlotlyLibrary} */ (window.Plotly));
      script.onerror = () => {
        script.remove();
        setTimeout(load, AGAIN);
      };
      document.head.append(script);
    };
    load();
  });
  return window.headlightPlotly;
}
