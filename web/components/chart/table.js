// The numbers of a drawn figure as CSV. No request to the server is necessary.

// Text that a spreadsheet reads as a formula, except numbers (OWASP, "CSV Injection").
const FORMULA = /^(?![-+]?\d+(\.\d+)?$)[=+\-@\t\r\n＝＋－＠]/;

/** @param {any} row @returns {any} an array instead of a typed array; other values are unchanged */
export function numbers(row) {
  return ArrayBuffer.isView(row) ? Array.from(/** @type {Float64Array} */ (row)) : row;
}

/** A float32 with the fewest digits that identify it, others unchanged. @param {unknown} value */
export function shortest(value) {
  if (typeof value !== "number" || Math.fround(value) !== value) return value;
  let short = value;
  for (let digits = 6; digits <= 9; digits++) {
    short = Number(value.toPrecision(digits));
    if (Math.fround(short) === value) break; // nine digits always do
  }
  return short;
}

/** Plotly's label, which is HTML, as its token. The document is inert. @param {unknown} label */
function typed(label) {
  if (typeof label !== "string" || !/[<&]/.test(label)) return label;
  return new DOMParser().parseFromString(label, "text/html").body.textContent;
}

/**
 * A heatmap as a table, rows and columns as drawn; curves as one row for each point.
 *
 * @type {(chart: Pick<PlotlyChart, "_fullData">, words: { corner: string, curve: string }) => string}
 */
export function table(chart, { corner, curve }) {
  const traces = chart._fullData;
  const rows = [];
  const heatmap = traces.find((trace) => trace.type === "heatmap");
  if (heatmap) {
    const { z = [] } = heatmap;
    rows.push([corner, ...numbers(heatmap.x ?? [...z[0].keys()])]);
    z.forEach((values, i) => rows.push([heatmap.y ? heatmap.y[i] : i, ...numbers(values)]));
  } else {
    rows.push([curve, "x", "y"]);
    for (const { name, x, y } of traces)
      for (const [i, at] of numbers(x).entries()) rows.push([name, at, numbers(y)[i]]);
  }
  const line = (/** @type {unknown[]} */ row) => row.map(typed).map(shortest).map(quoted).join(",");
  return rows.map(line).join("\r\n") + "\r\n";
}

/** A field; a formula of a spreadsheet gets an apostrophe, as in OWASP. @param {unknown} value */
export function quoted(value) {
  // A masked cell has no number.
  const nothing = value === null || value === undefined || Number.isNaN(value);
  let text = nothing ? "" : String(value);
  if (typeof value === "string" && FORMULA.test(text)) text = `'${text}`;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
