// A figure's numbers as a table, from what is drawn: the server is not asked.

// What a spreadsheet takes for a formula; a number is none. As pages/shared/tables.py has it.
const FORMULA = /^(?![-+]?\d+(\.\d+)?$)[=+\-@\t\r\n＝＋－＠]/;

/**
 * @param {any} row
 * @returns {any} an array where Plotly keeps numbers in bytes; anything else as it is
 */
export function numbers(row) {
  return ArrayBuffer.isView(row) ? Array.from(/** @type {Float64Array} */ (row)) : row;
}

/**
 * @param {unknown} value
 * @returns {unknown} a float32 in as few digits as bring it back; anything else as it is
 */
export function shortest(value) {
  if (typeof value !== "number" || Math.fround(value) !== value) return value;
  let short = value;
  for (let digits = 6; digits <= 9; digits++) {
    short = Number(value.toPrecision(digits));
    if (Math.fround(short) === value) break; // nine digits always do
  }
  return short;
}

/**
 * Tokens are HTML to Plotly; in a file they are what was typed. The parser's document is inert.
 *
 * @param {unknown} label
 * @returns {unknown}
 */
function typed(label) {
  if (typeof label !== "string" || !/[<&]/.test(label)) return label;
  return new DOMParser().parseFromString(label, "text/html").body.textContent;
}

/**
 * @param {unknown} value
 * @returns {string} as a field of a CSV file; text that a spreadsheet would take for a formula
 *   has an apostrophe before it, as OWASP's "CSV Injection" says
 */
export function quoted(value) {
  // A cell that a mask hides has no number.
  const nothing = value === null || value === undefined || Number.isNaN(value);
  let text = nothing ? "" : String(value);
  if (typeof value === "string" && FORMULA.test(text)) text = `'${text}`;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/**
 * @param {Pick<PlotlyChart, "_fullData">} chart
 * @param {TableStrings} words of the table's head
 * @returns {string} CSV: a heatmap as a table, rows and columns as drawn; curves as one row for
 *   each point
 */
export function table(chart, { corner, curve }) {
  const traces = chart._fullData;
  const rows = [];
  const heatmap = traces.find((trace) => trace.type === "heatmap");
  if (heatmap) {
    const columns = numbers(heatmap.x ?? heatmap.z[0].map((_, i) => i));
    rows.push([corner, ...columns.map(typed).map(shortest)]);
    heatmap.z.forEach((values, i) => {
      const name = heatmap.y ? typed(heatmap.y[i]) : i;
      rows.push([name, ...numbers(values).map(shortest)]);
    });
  } else {
    rows.push([curve, "x", "y"]);
    for (const { name, x, y } of traces)
      numbers(x).forEach((at, i) =>
        rows.push([typed(name), shortest(typed(at)), shortest(numbers(y)[i])]),
      );
  }
  return rows.map((row) => row.map(quoted).join(",")).join("\r\n") + "\r\n";
}
