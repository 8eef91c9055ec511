// Numbers as people type them: 1,000, 1.000.000, 0,5, 10^6, ½, 50 %. model/typed_numbers.py is the
// same reader for the server. Both pass the vectors in tests/typed_numbers.json.

// Separators of thousands and of decimals.
const CONVENTIONS = [
  [",", "."],
  [".", ","],
  [" ", "."],
  [" ", ","],
  ["'", "."],
  ["'", ","],
];

const EXPRESSIONS = CONVENTIONS.map(([thousands, decimal]) => {
  const [group, point] = [thousands, decimal].map((sign) => (sign === "." ? "\\." : sign));
  const number = `(?:[1-9]\\d{0,2}(?:${group}\\d{3})+(?:${point}\\d*)?|\\d+(?:${point}\\d*)?|${point}\\d+)`;
  const pattern =
    `^(?<sign>[+-]?)(?:(?:(?<whole>\\d+) )?(?<over>${number})/(?<under>${number})|` +
    `(?<base>${number})(?:\\^(?<power>[+-]?\\d+))?|` +
    `(?<digits>${number})(?:e|[x×·*]10\\^)(?<exponent>[+-]?\\d+))(?<percent>%?)$`;
  return { thousands, decimal, pattern: new RegExp(pattern, "i") };
});

/**
 * @param {string} text a number with separators of thousands, as a fraction, a power or a percentage
 * @returns {number[]} its readings, the English one first; empty if it is not a finite number
 */
export function readings(text) {
  const plain = simplify(text);
  const values = EXPRESSIONS.flatMap(({ thousands, decimal, pattern }) => {
    const found = pattern.exec(plain)?.groups;
    return found ? [valueOf(found, thousands, decimal)] : [];
  });
  return [...new Set(values.filter(Number.isFinite))];
}

/**
 * @param {string} text
 * @returns {boolean} whether it has two readings, and neither is the usual one: "4,994". A single
 *   point is a decimal point, as everywhere in the product.
 */
export function isAmbiguous(text) {
  return simplify(text).includes(",") && readings(text).length > 1;
}

/** @param {string} text @returns {string} it with ASCII digits, signs and spaces */
function simplify(text) {
  const plain = text
    .replace(/[⁺⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+/g, "^$&")
    .replace(/[¼-¾⅐-⅞]/g, " $&")
    .normalize("NFKC")
    .replace(/[−–]/g, "-")
    .replace(/[⁄÷]/g, "/")
    .replaceAll("’", "'")
    .replaceAll("**", "^")
    .replace(/^[=≈~\s]+|\s+$/g, "");
  return plain.replace(/\s+/g, " ").replace(/ ?([-+^*·×x/%]) ?/g, "$1");
}

/**
 * @param {Record<string, string | undefined>} found
 * @param {string} thousands
 * @param {string} decimal
 */
function valueOf(found, thousands, decimal) {
  const read = (/** @type {string} */ name) =>
    Number((found[name] ?? "0").replaceAll(thousands, "").replace(decimal, "."));
  let value = read("base") ** (found.power ? read("power") : 1);
  if (found.under) value = read("whole") + read("over") / read("under");
  else if (found.exponent) value = Number(`${read("digits")}e${found.exponent}`);
  return (found.sign === "-" ? -value : value) / (found.percent ? 100 : 1);
}
