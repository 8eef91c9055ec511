// Types that several components share: payloads of the server, and the interfaces of Streamlit and
// Plotly. Only tsc reads this file; no import is needed.

type Side = "left" | "right";

interface Place {
    layer: number;
    head: number;
}

/** The argument of a component's script in Streamlit. */
interface Component<Data> {
    /** The payload from the server. */
    data: Data;
    /** The parent of the component's HTML. */
    parentElement: HTMLElement | ShadowRoot;
    /** Sends a value to the server, which runs the callback `on_<name>_change` of `__init__.py`. */
    setTriggerValue(name: string, value: unknown): void;
}

/** The server has ended a run; see common/outbox.js. */
interface RunEnd {
    /** When the run began, by the page's clock. */
    began: number;
    /** Whether the connection was lost before. */
    reconnected: boolean;
    /** The messages that the components want to send, with the times of their actions. */
    messages: { at: number; send: () => void }[];
}

/** An object that draws a component; see common/mount.js. */
interface Drawing<Data> {
    /** Called for each payload from the server. */
    receive(component: Component<Data>): void;
}

/** A QR code from web/server/qr.py. */
interface Qr {
    /** Modules per side, including the quiet zone. */
    size: number;
    /** The dark modules, as strokes of width 1. */
    path: string;
}

/** What the page shows. `sync` spreads it as the event `headlight-view` and leaves it on the window. */
interface View extends Record<Side, Place> {
    /** Whether both sides select the same head. */
    linked: boolean;
    /** Whether colours go by the square root of the weight. */
    sqrt: boolean;
    /** The weights without colour and in full colour, from 0 to 1. */
    range: [low: number, high: number];
    /** Heads laid over the selected one, each with the colour of its lines. */
    overlaid: [layer: number, head: number, colour: string][];
    /** Indices of the picked tokens; of those that attend, where the keys are others. */
    picked: Record<Side, number[]>;
    /** Indices of the picked keys, where they are others. */
    pickedKeys?: Record<Side, number[]>;
}

/** A head was selected here, and the server has yet to hear of it. */
interface Preview extends Place {
    side: Side;
}

/** Heads or layers by which an arrow key moves on. */
interface Move {
    down: number;
    across: number;
}

/** Where arrow keys have led, and in what; of one head, layers alone are walked. */
interface Walk extends Place {
    layers: number;
    heads: number;
}

interface CaptionData {
    /** Models, a text. */
    said: string;
    walk?: Walk;
}

/** What `caption` leaves on the window for `present`. */
interface Captioned {
    owner: object;
    said: string;
    place?: Walk;
    walk(move: Move): void;
}

/** The query in the spotlight, by its name; none, if it is off. */
interface Spotlight {
    name: string | undefined;
    /** Whoever has queries puts their names here, unless somebody has. */
    names: string[];
}

interface WindowEventMap {
    /** Another figure is presented, or none: what stands on the stage has another size. */
    "headlight-present": Event;
    "headlight-caption": Event;
    /** Something else stands on the stage: how large may it be? */
    "headlight-stage": Event;
    /** An arrow key, while something is presented; who goes there prevents the default. */
    "headlight-walk": CustomEvent<Move>;
    /** Play or pause, likewise. */
    "headlight-play": Event;
    "headlight-spotlight": CustomEvent<Spotlight>;
    "headlight-view": CustomEvent<View>;
    "headlight-preview": CustomEvent<Preview>;
    /** The weights of a head that was selected here; an overview that has them says so. */
    "headlight-cells": CustomEvent<HeadCells>;
    /** Dispatched for `reconnect` when the server has ended a run. */
    "headlight-run-end": CustomEvent<RunEnd>;
    /** A point of a figure was clicked, or the pointer came over it or left it; `chart` says so. */
    "headlight-point": CustomEvent<PointEvent>;
}

interface Window {
    headlightView?: View;
    headlightCaption?: Captioned;
    /** Plotly, once it is here; see chart/plotly.js. */
    headlightPlotly?: Promise<PlotlyLibrary>;
    Plotly?: PlotlyLibrary;
}

type Rgb = [red: number, green: number, blue: number];

/** The weights after a header, in ten-thousandths. */
interface Cells {
    cells: Uint16Array;
}

/** The tokens attended to, where they are not those that attend. */
interface OtherKeys {
    /** Columns. */
    size: number;
    /** Keys that share a column; 1 where nothing is pooled. */
    block?: number;
    labels: string[];
}

/** In front of the weights of all heads: viz.overview_payload and web/widgets/overviews.py. */
interface OverviewHeader {
    layers: number;
    heads: number;
    /** Rows of a thumbnail, and columns unless the keys are other tokens. */
    size: number;
    /** Tokens on a side of the block that shares a cell of a thumbnail. */
    block: number;
    /** One for each token, however many share a cell. */
    labels: string[];
    keys?: OtherKeys;
    /** What the message brings of each head, where that is less than all of it... */
    first?: { rows: number; columns: number };
    /** ...and where all of it is asked for. */
    exact?: string;
    side: Side;
    rgb: Rgb;
    model: string;
    sentence: string;
    description: string;
    strings: { pooled: string; axes?: string };
    /** What the thumbnails are called where they are not heads. */
    columns?: string[];
    /** How many query heads read the same keys and values, and what is said of each such group. */
    shared?: { heads: number; said: string[] };
}

/** In front of the weights of a few heads: viz.lines_payload and pages/explore/details.py. */
interface LinesHeader {
    heads: number;
    size: number;
    labels: string[];
    keys?: OtherKeys;
    /** What is said of a link that the mask hides. */
    masked?: string;
    side: Side;
    names: string[];
    colours: string[];
    description: string;
}

/** In front of the heads of several models: viz.thumbnails_payload and pages/heads/map.py. */
interface ThumbnailsHeader {
    sides: {
        heads: number;
        size: number;
        block: number;
        labels: string[];
        keys?: OtherKeys;
        rgb: Rgb;
        model: string;
        names: string[];
    }[];
}

/** A figure and what is said around it: web/widgets/charts.py. */
interface ChartHeader {
    /** Of the figure's container. */
    key: string;
    figure: { data: any[]; layout: any };
    /** What there is to see, for those who do not. */
    alt: string;
    /** Of the files that the toolbar saves, without its ending. */
    file: string;
    /** Whether the server hears of a click on a point. */
    clicks: boolean;
    /** Plotly's address. */
    plotly: string;
    strings: Record<"png" | "svg" | "csv" | "html" | "full" | "waiting", string> & TableStrings;
}

/** Of a table's head. */
interface TableStrings {
    corner: string;
    curve: string;
}

interface HeadCells {
    side: Side;
    /** Of the head. */
    name: string;
    /** All its weights by rows, as whole ten-thousandths. */
    cells: Uint16Array;
}

/** What a figure shows until the server has answered. */
interface Promised extends Pick<HeadCells, "side" | "name"> {
    figure: ChartHeader["figure"];
    /** The server shows this head: whatever figure it sends from now on is newer. */
    answered?: boolean;
}

interface PointEvent {
    /** The key of the figure's container. */
    chart: string;
    kind: "click" | "hover" | "unhover";
    point?: PlotlyPoint;
    mouse?: MouseEvent;
}

/** What Plotly tells of a point, as far as it is used here. */
interface PlotlyPoint {
    /** Row and column, of a cell. */
    pointIndex?: number[];
    pointNumber: number[];
    y?: any;
    customdata?: any;
}

interface PlotlyLibrary {
    react(area: HTMLElement, data: object[], layout: object, config: object): Promise<void>;
    purge(area: HTMLElement): void;
    downloadImage(chart: PlotlyChart, options: object): Promise<string>;
    Icons: Record<string, object>;
    Fx: {
        hover(chart: PlotlyChart, at: MouseEvent, subplot: string): void;
        unhover(chart: PlotlyChart, at: MouseEvent): void;
    };
}

/** The colours and the type of the page. */
interface Palette {
    text: string;
    paper: string;
    border: string;
    font: string;
    /** Pixels of the page's own type. */
    base: number;
    colourway: string[];
    names: string;
    grid: string;
}

/** What Plotly makes of its element, as far as it is used here. */
interface PlotlyChart extends HTMLDivElement {
    on(name: string, handle: (event: any) => void): void;
    data: object[];
    layout: object;
    /** The traces as drawn. Plotly has no public name for them. */
    _fullData: Trace[];
    /** Likewise where it drew them. */
    _fullLayout: Record<"xaxis" | "yaxis", { _offset: number; _length: number }>;
}

type Numbers = number[] | Float32Array | Float64Array;

/** A heatmap or a curve. */
interface Trace {
    type: string;
    name: string;
    x?: (string | number)[] | Numbers;
    y?: (string | number)[] | Numbers;
    z?: Numbers[];
}

/** A generation step: the token that was written, and the most probable ones, which include it. */
interface StepRecord {
    written: string;
    /** `shown` and `printed` are the token and its probability on screen. */
    top: { token: string; shown: string; probability: number; printed: string }[];
    forced?: boolean;
}

/** A hypothesis of a beam search. */
interface DecodingHypothesis {
    text: string;
    /** Its log-probability on screen. */
    printed: string;
    kept: boolean;
}

/** Header of a step view: pages/decoder/step_player.py. */
interface StepsHeader {
    /** Identifies the text, whichever head is shown. */
    of: string;
    steps: StepRecord[];
    /** For each step of a beam search its hypotheses, best first. */
    beams?: DecodingHypothesis[][] | null;
    /** Name of the picture's file. */
    file: string;
    hue: string;
    strings: Record<string, string>;
}

/** Header of a translation: viz.decoding_payload. */
interface DecodingHeader extends StepsHeader {
    source: string[];
    /** The start token first. */
    target: string[];
    /** Rows and columns of the masked self-attention. */
    rows: number;
}

/** Header of a generated text: viz.generation_payload. */
interface GenerationHeader extends StepsHeader {
    /** Prompt and generated tokens, as they are drawn. */
    tokens: string[];
    /** Number of tokens of the prompt. */
    prompt: number;
    /** Positions of control tokens. */
    control: number[];
    /** Number of layers after the weights of the ribbon; 0 for a long text. */
    layers: number;
    /** The layer of the ribbon. */
    layer: number;
    /** Texts on the key/value cache, for each step and for all. */
    kv_cache: { title: string; each: string[]; whole: string };
}
