// Fields of CSV files.

// Text that a spreadsheet reads as a formula, except numbers. The same as in web/widgets/tables.py.
const FORMULA = /^(?![-+]?\d+(\.\d+)?$)[=+\-@\t\r\n＝＋－＠]/;

/** A field; a formula of a spreadsheet gets an apostrophe, as in OWASP. @param {unknown} value */
export function quoted(value) {
  // A masked cell has no number.
  const nothing = value === null || value === undefined || Number.isNaN(value);
  let text = nothing ? "" : String(value);
  if (typeof value === "string" && FORMULA.test(text)) text = `'${text}`;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
