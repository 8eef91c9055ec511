// The arithmetic of a cell as text. Every number comes from the server, with one exception: if a sum
// is too long, the browser adds up the omitted terms and prints their sum.

import { formula } from "../common/formula.js";
import { resultOf } from "./dependencies.js";

const MAX_TERMS = 12; // printed terms of a sum

/** @typedef {(string | Node)[]} Begin content in front of a row of arithmetic */

/** @param {CellValue} value @param {number} decimals @returns {string} */
export function formatNumber(value, decimals) {
  if (value === "-inf") return "−∞";
  if (typeof value !== "number") return String(value);
  const text = Math.abs(value) >= 1e7 ? value.toExponential(decimals) : value.toFixed(decimals);
  return (Number(text) === 0 ? text.replace("-", "") : text).replace("-", "−");
}

/**
 * @param {CellValue} value a factor, or a number after a minus
 * @param {number} decimals
 * @returns {string} in brackets if it is negative
 */
function formatFactor(value, decimals) {
  const text = formatNumber(value, decimals);
  return text.startsWith("−") && text !== "−∞" ? `(${text})` : text;
}

/**
 * @param {Calculation} data
 * @param {CalculationLine} line
 * @param {number} row of a cell of its result
 * @param {number} column
 * @returns {HTMLElement[]} the arithmetic of the cell, as rows of text
 */
export function spell(data, line, row, column) {
  const { matrices, strings, decimals } = data;
  const name = resultOf(line);
  const result = matrices[name];
  const value = (/** @type {string} */ operand) => matrices[operand].values[row]?.[column];
  const [left, , right] = line.items;
  const is = `= ${formatNumber(result.values[row][column], decimals)}`;
  const begin = [formula(result.symbol), `(${result.rows[row]}, ${result.columns[column]})`];
  switch (line.kind) {
    case "product":
      return [spelled(begin, `= ${products(data, left, right, row, column)} ${is}`)];
    case "divide": {
      const divisor = formatNumber(data.divisor, decimals);
      const bias = right === "bias" ? ` + ${formatFactor(value(right), decimals)}` : "";
      return [spelled(begin, `= ${formatNumber(value(left), decimals)} ÷ ${divisor}${bias} ${is}`)];
    }
    case "mask":
      return [spelled(begin, `${is} ${value("allowed") ? strings.allowed : strings.hidden}`)];
    case "times": {
      const [a, b] = [left, right].map((operand) => formatNumber(value(operand), decimals));
      return [spelled(begin, `= ${a} × ${b} ${is}`)];
    }
    case "softmax":
    case "softmax_columns":
      return softmax(data, line, row, column, begin);
    case "join":
      return [spelled(begin, is)];
    default:
      return []; // a given number
  }
}

/**
 * @param {Record<string, string>} strings
 * @param {number} count number of omitted terms
 * @param {string} text their sum
 */
function restOf(strings, count, text) {
  return strings.rest.replace("{count}", String(count)).replace("{sum}", text);
}

/**
 * @param {Calculation} data
 * @param {string} left name of a matrix
 * @param {string} right
 * @param {number} row of the left matrix
 * @param {number} column of the right matrix
 * @returns {string} the sum of their products
 */
function products(data, left, right, row, column) {
  const factors = data.matrices[right].values.map((line) => line[column]);
  const terms = data.matrices[left].values[row].map((x, k) => ({
    text: `${formatFactor(x, data.decimals)} × ${formatFactor(factors[k], data.decimals)}`,
    size: Number(x) * Number(factors[k]),
    k,
  }));
  return sum(data, terms);
}

/**
 * @param {Calculation} data
 * @param {{ text: string, size: number, k: number }[]} terms k is the place in the sum
 * @returns {string} the largest terms of a long sum, sorted by place, and the rest as one number
 */
function sum(data, terms) {
  if (terms.length <= MAX_TERMS) return terms.map((term) => term.text).join(" + ");
  const largest = [...terms]
    .sort((a, b) => Math.abs(b.size) - Math.abs(a.size))
    .slice(0, MAX_TERMS - 2);
  const rest = terms.filter((term) => !largest.includes(term));
  const remainder = rest.reduce((total, term) => total + term.size, 0);
  const restText = restOf(data.strings, rest.length, formatNumber(remainder, data.decimals));
  return `${largest
    .sort((a, b) => a.k - b.k)
    .map((term) => term.text)
    .join(" + ")} + ${restText}`;
}

/**
 * A power of e, the sum of its row (in a classic mistake, of its column), and their quotient.
 *
 * @param {Calculation} data
 * @param {CalculationLine} line
 * @param {number} row
 * @param {number} column
 * @param {Begin} begin of the last row
 */
function softmax(data, line, row, column, begin) {
  const { matrices, strings, decimals } = data;
  const [maxima, exponentials, sums] = line.parts.map((name) => matrices[name].values);
  const down = line.kind === "softmax_columns";
  // A sum down a column includes the queries that are not drawn.
  const own = down ? row + data.offset : row;
  const [largest, total] = [maxima, sums].map((part) => (down ? part[0][column] : part[row][0]));
  const result = formatNumber(matrices[resultOf(line)].values[row][column], decimals);
  if (largest === "-inf") return [spelled(begin, `= ${result}  ${strings.nothing}`)];
  const score = matrices[line.items[0]].values[own][column];
  const power =
    score === "-inf"
      ? "e^(−∞)"
      : `e^(${formatNumber(score, decimals)} − ${formatFactor(largest, decimals)})`;
  const exponential = formatNumber(exponentials[own][column], decimals);
  const summed = down ? exponentials.map((other) => other[column]) : exponentials[row];
  const terms = summed.map((x, k) => ({ text: formatNumber(x, decimals), size: Number(x), k }));
  const name = down ? strings.columnSum : strings.rowSum;
  return [
    spelled([], `${power} = ${exponential}`),
    spelled([], `${name} = ${sum(data, terms)} = ${formatNumber(total, decimals)}`),
    spelled(begin, `= ${exponential} ÷ ${formatNumber(total, decimals)} = ${result}`),
  ];
}

/** @param {Begin} begin @param {string} text */
function spelled(begin, text) {
  const row = document.createElement("div");
  row.append(...begin, ` ${text}`);
  return row;
}
