// The arithmetic of a cell as text. Every number comes from the server, with one exception: if a sum
// is too long, the browser adds up the omitted terms and prints their sum.

import { element, formula } from "../common/element.js";
import { sentences } from "../common/sentences.js";
import { filled } from "../common/words.js";
import { resultOf } from "./dependencies.js";

const MAX_TERMS = 12; // printed terms of a sum

/** @param {CellValue} value @param {number} decimals */
export function formatNumber(value, decimals) {
  if (value === "-inf") return "−∞";
  if (typeof value !== "number") return String(value);
  const text = Math.abs(value) >= 1e7 ? value.toExponential(decimals) : value.toFixed(decimals);
  return (Number(text) === 0 ? text.replace("-", "") : text).replace("-", "−");
}

/** In brackets if it is negative: a factor, or a number after a minus. @param {string} number */
function bracketed(number) {
  return number.startsWith("−") && number !== "−∞" ? `(${number})` : number;
}

/**
 * Of a long sum: the largest terms, and the sum of the rest.
 *
 * @param {{ text: string, size: number }[]} terms
 * @param {Calculation} data
 */
function sumOf(terms, { decimals, strings }) {
  const sorted = [...terms].sort((a, b) => Math.abs(b.size) - Math.abs(a.size));
  const rest = terms.length > MAX_TERMS ? sorted.slice(MAX_TERMS - 2) : [];
  const printed = terms.filter((term) => !rest.includes(term)).map(({ text }) => text);
  if (rest.length) {
    const sum = rest.reduce((total, { size }) => total + size, 0);
    const words = { count: String(rest.length), sum: formatNumber(sum, decimals) };
    printed.push(filled(strings.rest, words));
  }
  return printed.join(" + ");
}

/**
 * The arithmetic of a cell of a line's result, as rows of text; none for a given number.
 *
 * @type {(data: Calculation, line: CalculationLine, row: number, column: number) => HTMLElement[]}
 */
export function arithmeticOf(data, line, row, column) {
  const { matrices, strings } = data;
  const [left, , right] = line.items;
  const { symbol, rows, columns, values } = matrices[resultOf(line)];
  const print = (/** @type {CellValue} */ value) => formatNumber(value, data.decimals);
  const value = (/** @type {string} */ name) => matrices[name].values[row]?.[column];
  const equation = (/** @type {string} */ text) =>
    element("div", "", formula(symbol), `(${rows[row]}, ${columns[column]})`, ` = ${text}`);
  const result = print(values[row][column]);
  switch (line.kind) {
    case "product": {
      const factors = matrices[right].values.map((each) => each[column]);
      const terms = matrices[left].values[row].map((x, k) => ({
        text: `${bracketed(print(x))} × ${bracketed(print(factors[k]))}`,
        size: Number(x) * Number(factors[k]),
      }));
      return [equation(`${sumOf(terms, data)} = ${result}`)];
    }
    case "divide": {
      const bias = right === "bias" ? ` + ${bracketed(print(value(right)))}` : "";
      return [equation(`${print(value(left))} ÷ ${print(data.divisor)}${bias} = ${result}`)];
    }
    case "mask":
      return [equation(sentences([result, value("allowed") ? strings.allowed : strings.hidden]))];
    case "times":
      return [equation(`${print(value(left))} × ${print(value(right))} = ${result}`)];
    case "softmax":
    case "softmax_columns": {
      // A power of e, the sum of its row (in a classic mistake, of its column), and their quotient.
      const [maxima, exponentials, sums] = line.parts.map((name) => matrices[name].values);
      const down = line.kind === "softmax_columns";
      // A sum down a column includes the queries that are not drawn.
      const own = down ? row + data.offset : row;
      const [largest, total] = [maxima, sums].map((part) =>
        down ? part[0][column] : part[row][0],
      );
      if (largest === "-inf") return [equation(`${result}  ${strings.nothing}`)];
      const score = matrices[left].values[own][column];
      const power = score === "-inf" ? "−∞" : `${print(score)} − ${bracketed(print(largest))}`;
      const exponential = print(exponentials[own][column]);
      const summed = down ? exponentials.map((other) => other[column]) : exponentials[row];
      const terms = summed.map((x) => ({ text: print(x), size: Number(x) }));
      const name = down ? strings.columnSum : strings.rowSum;
      return [
        element("div", "", `e^(${power}) = ${exponential}`),
        element("div", "", `${name} = ${sumOf(terms, data)} = ${print(total)}`),
        equation(`${exponential} ÷ ${print(total)} = ${result}`),
      ];
    }
    case "join":
      return [equation(result)];
    default:
      return [];
  }
}
