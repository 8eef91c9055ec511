// Types of the editable grids. The server's side is pages/calculator/grids.py.

type GridAxis = "rows" | "columns";

/** The text of the cells, by grid. */
type GridCells = Record<string, string[][]>;

interface GridPayload {
    id: string;
    /** Name of the grid for a screen reader. */
    label: string;
    title: string;
    /** MathML. */
    symbol: string;
    cells: string[][];
    /** The axis whose token names label the rows. */
    axis: string | null;
    /** Names of the two sizes; sizes with the same name change together. Null if both are fixed. */
    sizes: Record<GridAxis, string> | null;
    locked: boolean;
    /** An error in a cell, or in a whole row if the column is null. */
    problem: { row: number | null; column: number | null; text: string } | null;
    /** CSS classes of the cells. */
    marks: string[][] | null;
    /** Names of the two states, if the cells are switches. */
    toggles: [on: string, off: string] | null;
}

interface GridsData {
    /** Number of the last edit that the server has received. */
    acknowledged: number;
    grids: GridPayload[];
    /** Names of the tokens, by axis. */
    names: Record<string, string[]>;
    strings: Record<string, string>;
    /** Where the browser stores the answers: the set of exercises, the exercise, and whether the
     * session has not received them yet. */
    keep: { set: string; item: string; unknown: boolean } | null;
}
