// Types that several components share: payloads of the server, and the interfaces of Streamlit and
// Plotly. Only tsc reads this file; no import is needed.

type Side = "left" | "right";
type Head = [layer: number, head: number];
type Move = { down: number; across: number };
type Rgb = [red: number, green: number, blue: number];

/** The argument of a component's script in Streamlit. */
interface Component<Data> {
    data: Data;
    parentElement: HTMLElement | ShadowRoot;
    /** Sends a value to the server, which runs the callback `on_<name>_change` of `__init__.py`. */
    setTriggerValue(name: string, value: unknown): void;
}

/** The server has ended a run; see common/outbox.js. */
interface RunEnd {
    began: number;
    reconnected: boolean;
    /** The messages that the components want to send, with the times of their actions. */
    messages: { at: number; send: () => void }[];
}

/** What the constructor of a component's object gets; see common/mount.js. */
type Made = [root: HTMLElement, signal: AbortSignal, outbox: import("./common/outbox.js").Outbox];

/** An object that draws a component; see common/mount.js. */
type Drawing<Data> = { receive(component: Component<Data>): void };

/** The position that arrow keys change, and its limits; with one head, they change the layer. */
type Walk = { layer: number; head: number; layers: number; heads: number };

/** `acknowledged`: number of the last movement that the server has received. */
type CaptionData = { text: string; walk?: Walk; acknowledged: number };

/** What the server states about a figure: see viz/paper/sheet.py (`provenance`). */
type About = Record<string, unknown>;

interface WindowEventMap {
    /** The presented figure has changed, and with it the size of its content. */
    "headlight-present": Event;
    "headlight-caption": Event;
    /** The content of the stage has changed: compute its scale again. */
    "headlight-stage": Event;
    /** An arrow key in present mode; a component that handles it prevents the default. */
    "headlight-walk": CustomEvent<Move>;
    /** Play or pause in present mode; a component that handles it prevents the default. */
    "headlight-play": Event;
    /** Dispatched for `reconnect` when the server has ended a run. */
    "headlight-run-end": CustomEvent<RunEnd>;
}

interface NotebookModel {
    get(name: string): any;
    set(name: string, value: unknown): void;
    save_changes(): void;
    on(event: string, listener: () => void): void;
}

interface Window {
    /** The message and the selection of a view in a file. */
    headlightFile: { payload: string; selection: object };
    headlightAbout?: Map<string, About>;
    /** Stored by `caption`, for `present`. */
    headlightCaption?: { owner: object; text: string; place?: Walk; walk(move: Move): void };
    /** Plotly, once it is loaded; see chart/plotly.js. */
    headlightPlotly?: Promise<PlotlyLibrary>;
    /** Whether a script of Streamlit or of a component could not be loaded; see early.js. */
    headlightScriptLost?: boolean;
    /** A promise of each component's script, by URL; see imported.js. */
    headlightScripts?: Map<string, Promise<any>>;
    Plotly?: PlotlyLibrary;
}

/** The weights that follow a header: common/scale.js. */
type Cells = { cells: Uint16Array };

/** One side of a capture view: viz/view_payload.py and web/widgets/capture_view.py. */
interface SubjectHeader extends Pick<ChartHeader, "plotly" | "file" | "strings"> {
    layers: number;
    heads: number;
    /** Rows of a head; also columns unless the keys are other tokens. */
    size: number;
    labels: string[];
    /** The keys, if they are other tokens than the queries. */
    keys?: { size: number; labels: string[] };
    /** Size of each head in the message, if it is reduced. */
    first?: { rows: number; columns: number };
    /** URL of the exact weights of a reduced message; without it, the cells are exact. */
    exact?: string;
    /** Index of the head whose exact weights follow the reduced ones. */
    whole?: number;
    side: Side;
    rgb: Rgb;
    model: string;
    sentence: string;
    description: string;
    /** Name of each row; absent for "L0·H0". */
    names?: string[];
    /** A number below each of these names. */
    notes?: string[];
    /** The weight with the darkest colour, in those units. */
    top?: number;
    /** Whether a key is not attended to, but the source of what a token has after the layer. */
    sources?: boolean;
    /** What the model is, after its name. */
    about: string;
    /** A sentence on the model, or "". */
    meaning?: string;
    /** Whether each unit is a special token. */
    special: boolean[];
    /** Layers without attention. */
    without: number[];
    /** Colours of the selected head and of those drawn over it. */
    colours: string[];
    colorscales: Record<"linear" | "sqrt", [number, string][]>;
    /** Figures without numbers, one for each mask, and the one of each layer. */
    figures: ChartHeader["figure"][];
    figure_of: number[];
    tokens: {
        label: string;
        count: string;
        chips: { label: string; title: string; kind: string }[];
    };
    /** What the server states about every figure. */
    origin: object;
}

/** A subject as the view draws it. */
type Subject = Omit<SubjectHeader, "exact"> &
    Required<Pick<SubjectHeader, "first">> &
    Cells & { exact: import("./capture_view/exact.js").Exact };

interface CaptureViewData extends Cells {
    /** Shared by the view and its state. */
    key: string;
    /** What is drawn: "tokens", "said", "about", "heads", "head". */
    show: string[];
    subjects: SubjectHeader[];
    /** Units of both sides that share text; null if the units are equal. */
    groups: [left: number[], right: number[]][] | null;
    /** Units that the most similar head is found on; undefined if the browser lacks their weights. */
    compared?: [left: number, right: number][];
    /** Row and column of a cell that the page speaks of, if there is one subject. */
    framed?: [row: number, column: number];
    strings: Record<string, string>;
    /** Where a dropped file is sent; absent outside the app. */
    upload?: string;
}

/** A figure with its texts: web/widgets/charts.py. */
interface ChartHeader {
    key: string;
    figure: { data: any[]; layout: any };
    alt: string;
    file: string;
    /** Whether a click on a point is sent to the server. */
    clicks: boolean;
    plotly: string;
    /** What the server states about every figure: its version and its citation. */
    about: object;
    strings: Record<
        "png" | "svg" | "csv" | "html" | "waiting" | "reset" | "zoom_back" | "corner" | "curve",
        string
    >;
}

type PlotlyPoint = { pointIndex?: number[]; pointNumber: number[]; customdata?: any };

interface PlotlyLibrary {
    react(area: HTMLElement, data: object[], layout: object, config: object): Promise<void>;
    purge(area: HTMLElement): void;
    toImage(figure: Pick<PlotlyChart, "data" | "layout">, options: object): Promise<string>;
    Icons: Record<string, object>;
    Fx: {
        hover(chart: PlotlyChart, at: MouseEvent, subplot: string): void;
        unhover(chart: PlotlyChart, at: MouseEvent): void;
    };
}

interface PlotlyChart extends HTMLDivElement {
    on(name: string, handle: (event: any) => void): void;
    data: any[];
    layout: object;
    /** The traces and axes as drawn; Plotly has no public properties for them. */
    _fullData: { type: string; name: string; x?: any; y?: any; z?: any[] }[];
    _fullLayout: { _size: Record<"l" | "t" | "w" | "h", number> } & Record<
        "xaxis" | "yaxis",
        { l2p(at: number): number } // the position in pixels of a column or row, in the cells' own box
    >;
}

/** A generation step: the token that was written, and the most probable ones, which include it. */
interface StepRecord {
    written: string;
    /** `shown` and `printed` are the token and its probability on screen. */
    top: { token: string; shown: string; probability: number; printed: string }[];
    forced?: boolean;
}

type DecodingHypothesis = { text: string; printed: string; kept: boolean };

/** Header of a step view: pages/decoder/step_player.py. */
interface StepsHeader {
    /** Identifies the text, whichever head is shown. */
    of: string;
    steps: StepRecord[];
    /** For each step of a beam search its hypotheses, best first. */
    beams?: DecodingHypothesis[][] | null;
    hue: string;
    strings: Record<string, string>;
}

/** Of a translation. */
type DecodingHeader = StepsHeader & { source: string[]; target: string[] };

/** Of a generated text: prompt and generated tokens, as they are drawn, and places of control tokens. */
type GenerationHeader = StepsHeader & {
    tokens: string[];
    prompt: number;
    control: number[];
    numbers: string;
    about_head: string;
};
