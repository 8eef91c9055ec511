// Names of a heatmap's columns. Plotly leaves out every other name if they seem too close.

const LARGEST_NAME = 12; // font size in pixels
const SMALLEST_NAME = 8;
const NAME_LINE = 1.2; // height of a line of type, in font sizes

/** Name all columns if a font fits. @param {ChartHeader["figure"]} figure @param {number} width */
export function withAllNames({ data, layout }, width) {
  const { xaxis, margin } = layout;
  const turned = data[0]?.type === "heatmap" && xaxis?.type === "category" && xaxis.tickangle;
  if (!turned) return { data, layout };
  const pitch = (width - margin.l - margin.r) / data[0].x.length;
  const size = Math.min(LARGEST_NAME, Math.floor(pitch / NAME_LINE));
  if (size < SMALLEST_NAME) return { data, layout };
  const named = { ...xaxis, dtick: 1, tickfont: { ...xaxis.tickfont, size } };
  return { data, layout: { ...layout, xaxis: named } };
}
