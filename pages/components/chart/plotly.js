// Plotly itself: 4.8 MB, sent once to a browser, and not before there is a figure to draw.

const AGAIN = 3000; // milliseconds until a line that failed is tried once more

/**
 * @param {string} url
 * @returns {Promise<PlotlyLibrary>} settles when it is here, however often the line fails
 */
export function plotly(url) {
  window.headlightPlotly ??= new Promise((resolve) => {
    const load = () => {
      const script = document.createElement("script");
      script.src = url;
      script.onload = () => resolve(window.Plotly);
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
