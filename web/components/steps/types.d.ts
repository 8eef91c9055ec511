// Types of a calculation step by step. The server's side is viz/cards/payload.py and
// pages/calculator/cards.py.

/** How the cells of a result are computed; see viz/cards/card.py. */
type LineKind =
    "given" | "product" | "divide" | "mask" | "softmax" | "softmax_columns" | "times" | "join";

/** An equation between matrices. */
interface CalculationLine {
    /** Names of matrices, and operators, in reading order. The last one is the result. */
    items: string[];
    kind: LineKind;
    /** Lines of a family share the selected cell. */
    family: string;
    /** Of a softmax: its maxima, exponentials and sums. */
    parts: string[];
}

/** A step; its formula is MathML. */
interface CalculationCard {
    id: string;
    title: string;
    formula: string;
    notes: string[];
    lines: CalculationLine[];
}

/** The texts "-inf", "inf" and "nan" stand for numbers that JSON does not have. */
type CellValue = number | string | boolean;

/** A matrix, and the names of its rows and columns. */
interface CalculationMatrix {
    /** MathML. */
    symbol: string;
    label: string;
    values: CellValue[][];
    rows: string[];
    columns: string[];
    /** Range of the rows that are drawn. */
    shownRows: [start: number, stop: number];
    shownColumns: [start: number, stop: number];
    /** Number of rows that the payload omits. */
    moreRows: number;
    moreColumns: number;
    /** Whether the values are booleans. */
    boolean: boolean;
}

interface Calculation {
    divisor: number;
    head: number;
    /** Number of queries before the first one that is drawn. */
    offset: number;
    /** Whether the matrices are too large for a line. */
    wide: boolean;
    cards: CalculationCard[];
    matrices: Record<string, CalculationMatrix>;
    decimals: number;
    /** Whether a click on a cell of the mask changes it. */
    toggles: boolean;
    look: CalculationSelection;
    strings: Record<string, string>;
}

/** The open step ("" for all, of wide matrices for one query, and "all"), and the selected cell. */
type CalculationSelection = { card: string; family: string; row: number; column: number };

interface CalculationStatus {
    /** Number of the last edit that the server has received. */
    acknowledged: number;
    problem: { card: string; text: string } | null;
    hue: string;
    source: string;
}

/** While the input has an error, the payload contains no calculation. */
type CalculationData = CalculationStatus & ({ waiting: true } | ({ waiting: false } & Calculation));

/** A cell of a drawn matrix: its place, and what it shows. */
interface CalculationCell {
    element: HTMLTableCellElement;
    i: number;
    j: number;
    value?: CellValue;
    decimals?: number;
}
