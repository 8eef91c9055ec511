// What crosses between the server, Streamlit, Plotly and the scripts of this folder. It is read by
// tsc alone, which needs no import for it.

type Side = "left" | "right";

interface Place {
    layer: number;
    head: number;
}

/** What Streamlit calls a component's script with. */
interface Component<Data> {
    /** What the server sent. */
    data: Data;
    /** Around the component's html. */
    parentElement: HTMLElement | ShadowRoot;
    /** Tell the server, which calls what `__init__.py` names `on_<name>_change`. */
    setTriggerValue(name: string, value: unknown): void;
}

/** An object that draws a component; see common/mount.js. */
interface Drawing<Data> {
    /** The server has sent something: the first time, or anew. */
    receive(component: Component<Data>): void;
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

interface WindowEventMap {
    "headlight-view": CustomEvent<View>;
    "headlight-preview": CustomEvent<Preview>;
    /** The server is back, and has drawn the page; `reconnect` says so. */
    "headlight-back": Event;
    /** Something on the page was added or taken away; see common/plotly.js. */
    "headlight-change": Event;
}

interface Window {
    headlightView?: View;
    headlightObserver?: MutationObserver;
}

type Rgb = [red: number, green: number, blue: number];

/** The weights behind a header, as whole ten-thousandths. */
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

/** In front of the weights of all heads: viz.overview_payload and pages/shared/overviews.py. */
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

/** What Plotly makes of its element, as far as it is used here. */
interface PlotlyChart extends HTMLElement {
    /** Missing until Plotly has drawn the chart. */
    on?(name: string, handle: (event: any) => void): void;
    data: object[];
    layout: { paper_bgcolor?: string };
    /** The traces as drawn. Plotly has no public name for these two. */
    _fullData: Trace[];
    _context: { toImageButtonOptions: { filename: string; format: string } };
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

/** A step of a translation: what was written, and what could have been. */
interface DecodingStep {
    written: string;
    /** The likeliest tokens, the written one among them; `printed` is what is shown of each. */
    top: { token: string; shown?: string; probability: number; printed: string }[];
}

/** A beginning of a translation that a beam search looked at. */
interface DecodingHypothesis {
    text: string;
    /** Its log-probability as it is shown. */
    printed: string;
    kept: boolean;
}

/** In front of the weights of a translation: viz.decoding_payload and pages/decoder/. */
interface DecodingHeader {
    /** Tells this text from another one; the same whatever head is shown. */
    of: string;
    source: string[];
    /** The start token first. */
    target: string[];
    /** Rows and columns of the masked self-attention. */
    rows: number;
    /** What the picture is called as a file. */
    file: string;
    steps: DecodingStep[];
    /** For each step, the best first; null where no beam was searched. */
    beams: DecodingHypothesis[][] | null;
    hue: string;
    strings: Record<string, string>;
}

/** A step of a text that a decoder wrote: names of tokens, and how they are drawn. */
interface GenerationStep {
    written: string;
    forced: boolean;
    /** The likeliest tokens, the written one among them. */
    top: { token: string; shown: string; probability: number; printed: string }[];
}

/** In front of the weights of a text: viz.generation_payload and pages/decoder/. */
interface GenerationHeader {
    /** Tells this text from another one; the same whatever head is shown. */
    of: string;
    /** Of the prompt, then what was written, as they are drawn. */
    tokens: string[];
    /** How many of them are the prompt's. */
    prompt: number;
    /** Places of those that are no text. */
    control: number[];
    /** How many layers follow the weights that are drawn above; 0 for a long text. */
    layers: number;
    /** The layer that is drawn above. */
    layer: number;
    steps: GenerationStep[];
    /** What is said of the keys and values, at each step and of the whole. */
    kept: { title: string; each: string[]; whole: string };
    /** What the picture is called as a file. */
    file: string;
    hue: string;
    strings: Record<string, string>;
}
