// Names of a heatmap's columns and rows. Plotly leaves out every other name if they seem too close.

const LARGEST_NAME = 12; // font size in pixels
const SMALLEST_NAME = 8;
const NAME_LINE = 1.2; // height of a line of type, in font sizes

/**
 * Name all columns if a font fits, and all rows if the height is known.
 *
 * @param {ChartHeader["figure"]} figure
 * @param {number} width
 * @param {number} [height]
 */
export function withAllNames({ data, layout }, width, height) {
  const { xaxis, yaxis, margin } = layout;
  const turned = data[0]?.type === "heatmap" && xaxis?.type === "category" && xaxis.tickangle;
  if (!turned) return { data, layout };
  const across = allNamed(xaxis, (width - margin.l - margin.r) / data[0].x.length);
  const down = height ? allNamed(yaxis, (height - margin.t - margin.b) / data[0].y.length) : yaxis;
  return { data, layout: { ...layout, xaxis: across, yaxis: down } };
}

/** @param {any} axis @param {number} pitch pixels from one name to the next */
function allNamed(axis, pitch) {
  const size = Math.min(LARGEST_NAME, Math.floor(pitch / NAME_LINE));
  return size < SMALLEST_NAME ? axis : { ...axis, dtick: 1, tickfont: { ...axis.tickfont, size } };
}
