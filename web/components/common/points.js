// Pointer events on the points of the page's charts. The component `chart` sends them.

/**
 * @param {string} chart key of the figure's container
 * @param {PointEvent["kind"]} kind
 * @param {(point: PointEvent) => void} handle
 * @param {AbortSignal} signal ends it
 */
export function onPoint(chart, kind, handle, signal) {
  const onPoint = (/** @type {CustomEvent<PointEvent>} */ { detail }) => {
    if (detail.chart === chart && detail.kind === kind) handle(detail);
  };
  window.addEventListener("headlight-point", onPoint, { signal });
}
