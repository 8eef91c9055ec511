// The arithmetic of a cell as text. Every number comes from the server, with one exception: if a sum
// is too long, the browser adds up the omitted terms and prints their sum.

import { element, formula } from "../common/element.js";
import { resultOf } from "./dependencies.js";

const MAX_TERMS = 12; // printed terms of a sum

/** @param {CellValue} value @param {number} decimals */
export function formatNumber(value, decimals) {
  if (value === "-inf") return "−∞";
  if (typeof value !== "number") return String(value);
  const text = Math.abs(value) >= 1e7 ? value.toExponential(decimals) : value.toFixed(decimals);
  return (Number(text) === 0 ? text.replace("-", "") : text).replace("-", "−");
}

/** The arithmetic of the cell of a line's result, as rows of text. */
export class Spelling {
  /** @param {Calculation} data @param {CalculationLine} line @param {number} row @param {number} column */
  constructor(data, line, row, column) {
    this.data = data;
    this.line = line;
    this.row = row;
    this.column = column;
    const { symbol, rows, columns, values } = data.matrices[resultOf(line)];
    this.result = this.number(values[row][column]);
    this.cell = [formula(symbol), `(${rows[row]}, ${columns[column]})`];
  }

  /** @param {CellValue} value */
  number(value) {
    return formatNumber(value, this.data.decimals);
  }

  /** @param {CellValue} value a factor, or a number after a minus: in brackets if it is negative */
  factor(value) {
    const text = this.number(value);
    return text.startsWith("−") && text !== "−∞" ? `(${text})` : text;
  }

  /** @returns {HTMLElement[]} none for a given number */
  rows() {
    const { line, data, row, column, result } = this;
    const [left, , right] = line.items;
    const value = (/** @type {string} */ name) => data.matrices[name].values[row]?.[column];
    switch (line.kind) {
      case "product":
        return [this.equation(`${this.products(left, right)} = ${result}`)];
      case "divide": {
        const bias = right === "bias" ? ` + ${this.factor(value(right))}` : "";
        const quotient = `${this.number(value(left))} ÷ ${this.number(data.divisor)}`;
        return [this.equation(`${quotient}${bias} = ${result}`)];
      }
      case "mask": {
        const { allowed, hidden } = data.strings;
        return [this.equation(`${result} ${value("allowed") ? allowed : hidden}`)];
      }
      case "times": {
        const product = `${this.number(value(left))} × ${this.number(value(right))}`;
        return [this.equation(`${product} = ${result}`)];
      }
      case "softmax":
      case "softmax_columns":
        return this.softmax();
      case "join":
        return [this.equation(result)];
      default:
        return [];
    }
  }

  /** @param {string} text what the cell is equal to */
  equation(text) {
    return element("div", "", ...this.cell, ` = ${text}`);
  }

  /** @param {string} left name of a matrix @param {string} right */
  products(left, right) {
    const { matrices } = this.data;
    const factors = matrices[right].values.map((line) => line[this.column]);
    const terms = matrices[left].values[this.row].map((x, k) => ({
      text: `${this.factor(x)} × ${this.factor(factors[k])}`,
      size: Number(x) * Number(factors[k]),
    }));
    return this.sum(terms);
  }

  /** @param {{ text: string, size: number }[]} terms of a long sum: the largest, and the rest's sum */
  sum(terms) {
    const sorted = [...terms].sort((a, b) => Math.abs(b.size) - Math.abs(a.size));
    const rest = terms.length > MAX_TERMS ? sorted.slice(MAX_TERMS - 2) : [];
    const printed = terms.filter((term) => !rest.includes(term)).map(({ text }) => text);
    if (rest.length) {
      const total = this.number(rest.reduce((sum, { size }) => sum + size, 0));
      const { rest: named } = this.data.strings;
      printed.push(named.replace("{count}", String(rest.length)).replace("{sum}", total));
    }
    return printed.join(" + ");
  }

  /** A power of e, the sum of its row (in a classic mistake, of its column), and their quotient. */
  softmax() {
    const { line, data, row, column, result } = this;
    const { matrices, strings } = data;
    const [maxima, exponentials, sums] = line.parts.map((name) => matrices[name].values);
    const down = line.kind === "softmax_columns";
    // A sum down a column includes the queries that are not drawn.
    const own = down ? row + data.offset : row;
    const [largest, total] = [maxima, sums].map((part) => (down ? part[0][column] : part[row][0]));
    if (largest === "-inf") return [this.equation(`${result}  ${strings.nothing}`)];
    const score = matrices[line.items[0]].values[own][column];
    const power =
      score === "-inf" ? "e^(−∞)" : `e^(${this.number(score)} − ${this.factor(largest)})`;
    const exponential = this.number(exponentials[own][column]);
    const summed = down ? exponentials.map((other) => other[column]) : exponentials[row];
    const terms = summed.map((x) => ({ text: this.number(x), size: Number(x) }));
    const name = down ? strings.columnSum : strings.rowSum;
    return [
      element("div", "", `${power} = ${exponential}`),
      element("div", "", `${name} = ${this.sum(terms)} = ${this.number(total)}`),
      this.equation(`${exponential} ÷ ${this.number(total)} = ${result}`),
    ];
  }
}
