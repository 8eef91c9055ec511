// What is pointed at on the figures of the page: `chart` tells, others listen.

/**
 * @param {string} chart the key of the figure's container
 * @param {PointEvent["kind"]} kind
 * @param {(told: PointEvent) => void} handle
 * @param {AbortSignal} signal ends it
 */
export function onPoint(chart, kind, handle, signal) {
  const heard = ({ detail }) => detail.chart === chart && detail.kind === kind && handle(detail);
  window.addEventListener("headlight-point", heard, { signal });
}
