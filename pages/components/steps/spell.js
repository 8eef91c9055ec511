// The arithmetic that gave a cell, in words. Every number comes from the server and is only written
// out here, with one exception: of a sum too long to be written out, the terms that are left out are
// said as one number, and that one the browser adds up from the terms that it was sent.

import { formula } from "../common/formula.js";

const LONGEST = 12; // terms of a sum that are written out

export function say(value, decimals) {
  if (value === "-inf") return "−∞";
  if (typeof value === "string") return value;
  const text = Math.abs(value) >= 1e7 ? value.toExponential(decimals) : value.toFixed(decimals);
  return (Number(text) === 0 ? text.replace("-", "") : text).replace("-", "−");
}

// As a factor or after a minus: in brackets where it has a sign of its own.
function sayFactor(value, decimals) {
  const text = say(value, decimals);
  return text.startsWith("−") && text !== "−∞" ? `(${text})` : text;
}

// How cell (row, column) of a line's result came about, as rows to be shown.
export function spell(data, line, row, column) {
  const { matrices, strings, decimals } = data;
  const result = matrices[line.items.at(-1)];
  const value = (name) => matrices[name].values[row]?.[column];
  const [left, , right] = line.items;
  const is = `= ${say(result.values[row][column], decimals)}`;
  const begin = [formula(result.symbol), `[${result.rows[row]}, ${result.columns[column]}]`];
  const told = data.spelled?.[line.items.at(-1)];
  if (told) return tell(data, told[row][column], begin);
  switch (line.kind) {
    case "product":
      return [spelled(begin, `= ${products(data, left, right, row, column)} ${is}`)];
    case "divide": {
      const divisor = say(data.divisor, decimals);
      const bias = right === "bias" ? ` + ${sayFactor(value(right), decimals)}` : "";
      return [spelled(begin, `= ${say(value(left), decimals)} ÷ ${divisor}${bias} ${is}`)];
    }
    case "mask":
      return [spelled(begin, `${is} ${value("allowed") ? strings.allowed : strings.hidden}`)];
    case "times": {
      const [a, b] = [left, right].map((name) => say(value(name), decimals));
      return [spelled(begin, `= ${a} × ${b} ${is}`)];
    }
    case "softmax":
    case "softmax_columns":
      return softmax(data, line, row, column, begin);
    case "join":
      return [spelled(begin, is)];
    default:
      return [spelled(begin, `${is}  ${strings.given}`)];
  }
}

// What the server tells of a cell (told.py): signs, numbers, factors, the rest of a sum. The last
// row says what the cell comes to.
function tell({ strings, decimals }, rows, begin) {
  const write = (part) => {
    if (typeof part === "string") return part;
    if (typeof part === "number") return say(part, decimals);
    if (Array.isArray(part)) return sayFactor(part[0], decimals);
    return `(${sayRest(strings, part.count, say(part.sum, decimals))})`; // a bias may follow
  };
  return rows.map((parts, index) =>
    spelled(index === rows.length - 1 ? begin : [], parts.map(write).join("")),
  );
}

function sayRest(strings, count, text) {
  return strings.rest.replace("{count}", count).replace("{sum}", text);
}

function products(data, left, right, row, column) {
  const factors = data.matrices[right].values.map((line) => line[column]);
  const terms = data.matrices[left].values[row].map((x, k) => ({
    text: `${sayFactor(x, data.decimals)} × ${sayFactor(factors[k], data.decimals)}`,
    size: x * factors[k],
    k,
  }));
  return sum(data, terms);
}

// The largest terms of a long sum, in their order, and the rest as one number.
function sum(data, terms) {
  if (terms.length <= LONGEST) return terms.map((term) => term.text).join(" + ");
  const kept = [...terms].sort((a, b) => Math.abs(b.size) - Math.abs(a.size)).slice(0, LONGEST - 2);
  const rest = terms.filter((term) => !kept.includes(term));
  const remainder = rest.reduce((total, term) => total + term.size, 0);
  const said = sayRest(data.strings, rest.length, say(remainder, data.decimals));
  return `${kept
    .sort((a, b) => a.k - b.k)
    .map((term) => term.text)
    .join(" + ")} + ${said}`;
}

// A power of e, the sum of its row (or column, by mistake), and the one divided by the other.
function softmax(data, line, row, column, begin) {
  const { matrices, strings, decimals } = data;
  const [maxima, exponentials, sums] = line.parts.map((name) => matrices[name].values);
  const down = line.kind === "softmax_columns";
  // Down a column, all queries are summed over, those that are not drawn among them.
  const own = down ? row + data.offset : row;
  const [largest, total] = [maxima, sums].map((part) => (down ? part[0][column] : part[row][0]));
  const result = say(matrices[line.items.at(-1)].values[row][column], decimals);
  if (largest === "-inf") return [spelled(begin, `= ${result}  ${strings.nothing}`)];
  const score = matrices[line.items[0]].values[own][column];
  const power =
    score === "-inf" ? "e^(−∞)" : `e^(${say(score, decimals)} − ${sayFactor(largest, decimals)})`;
  const exponential = say(exponentials[own][column], decimals);
  const summed = down ? exponentials.map((other) => other[column]) : exponentials[row];
  const terms = summed.map((x, k) => ({ text: say(x, decimals), size: x, k }));
  const name = down ? strings.columnSum : strings.rowSum;
  return [
    spelled([], `${power} = ${exponential}`),
    spelled([], `${name} = ${sum(data, terms)} = ${say(total, decimals)}`),
    spelled(begin, `= ${exponential} ÷ ${say(total, decimals)} = ${result}`),
  ];
}

function spelled(begin, text) {
  const row = document.createElement("div");
  row.append(...begin, ` ${text}`);
  return row;
}
