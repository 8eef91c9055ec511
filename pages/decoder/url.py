"""Fields of the Decoder page: each of its parts has its own."""

from dataclasses import replace
from typing import Any

import streamlit as st

from model.transformer.beam import MOST_BEAMS
from pages.decoder.mask_spec import MASK_NAMES, MAX_PADDING, PADDED_MASKS, read_drawn
from web.language import N_
from web.translators import DEFAULT, read_forced, read_translator, write_forced
from web.view_state import address, field
from web.view_state.field import Condition, Field, Fields
from web.view_state.parameters import OUR_ENCODERS, View

PROMPT = "When Mary and John went to the store, John gave a drink to"
"""What Generate starts with."""

PART = field.part(
    N_("Part"),
    {
        "translate": N_("Translate"),
        "generate": N_("Generate"),
        "masks": N_("Masks"),
    },
    key="decoder_part",
    aliases={"efficient": "masks"},
)


def requested_part() -> str:
    """The part whose fields apply to this rerun.

    The URL decides on entering the page and after a step through the browser's history, otherwise
    the widget.
    """
    named = st.query_params.get("part", "")
    entering = address.is_entering()
    if named in PARAMETERS and (entering or address.stepped()):
        return named
    return str(st.session_state.get(PART.key, PART.default))


# -- Translate and Generate ----------------------------------------------------------------------

DEFAULT_MODEL = "smollm2"

MAX_NEW_TOKENS = 200
"""Most tokens of one request; "Write more" continues up to the model's context length."""


def _method(*methods: str) -> Field[str]:
    names = {"greedy": N_("Greedy"), "beam": N_("Beam search"), "sample": N_("Sampling")}
    return field.choice(
        N_("Decoding method"), {method: names[method] for method in methods}, "greedy"
    )


def _shown_head(layer: int, head: int) -> tuple[Field[Any], ...]:
    """The fields layer, head and view."""
    return (
        replace(View.layer, default=layer, key=""),
        replace(View.head, default=head, key=""),
        field.choice(N_("View"), {"heatmap": N_("Heatmap"), "lines": N_("Lines")}, hidden=True),
    )


def _sampling(how: Field[str], max_top_k: int, **top_k_box: Any) -> tuple[Field[Any], ...]:
    """The fields temperature, top_k, top_p and seed."""
    when = how.among("sample")
    temperature = field.slider(
        N_("Temperature"),
        1.0,
        (0.1, 5.0),
        step=0.1,
        when=when,
        help=N_(
            "The scores are divided by it before the softmax. Above 1, the result is more equal."
        ),
    )
    top_k = field.number(
        N_("Top-k: only the k most probable (0: all)"), 0, (0, max_top_k), when=when, **top_k_box
    )
    top_p = field.slider(
        N_("Top-p: the fewest tokens that together reach p"), 1.0, (0.01, 1.0), step=0.01, when=when
    )
    return temperature, top_k, top_p, field.number(N_("Seed"), 0, (0, 10**6), when=when)


class Translate(Fields, prefix="t_"):
    """The browser alone writes ``step``; see decoding/step_url.js."""

    part = PART
    how = _method("greedy", "beam", "sample")
    model = Field(
        N_("Translator"), "phrases", read_translator, always=True, key="translator", hidden=True
    )
    text = field.text(
        N_("Text to translate"), DEFAULT["phrases"], always=True, key="phrase", hidden=True
    )
    stack: Field[Any] = field.choice(
        N_("Which attention"),
        {
            "cross": N_("Cross-attention"),
            "decoder": N_("Decoder's self-attention"),
            "encoder": N_("Encoder's self-attention"),
        },
        key="stack",
        hidden=True,
    )
    layer, head, view = _shown_head(1, 0)
    beams = field.slider(
        N_("Beams: hypotheses kept at each step"),
        4,
        (2, MOST_BEAMS),
        when=how.among("beam"),
        key="n_beams",
    )
    temperature, top_k, top_p, seed = _sampling(how, 100, widget=st.slider)
    forced = Field[Any]("", [], read_forced, write_forced)
    training = field.flag("", key="learning_open")


class Generate(Fields, prefix="g_"):
    """``until`` is the length at which this text was stopped or continued; 0: ``tokens``."""

    part = PART
    how = _method("greedy", "sample")
    talk = field.flag(
        N_("Chat format (one message)"),
        help=N_(
            "Put the message into the format that the model was tuned on: system, "
            "user, assistant. Earlier messages are not included."
        ),
    )
    model = field.name(N_("Decoder"), DEFAULT_MODEL, always=True, hidden=True, width=240)
    text = field.text(N_("Start of the text"), PROMPT, always=True, hidden=True)
    system = field.text("", when=talk.among(True), hidden=True)
    # SmolLM2's L17·H5 is an induction head: it attends to the token after an earlier occurrence.
    layer, head, view = _shown_head(17, 5)
    temperature, top_k, top_p, seed = _sampling(how, 1000, width="stretch")
    tokens = field.number(N_("Tokens to write"), 24, (1, MAX_NEW_TOKENS), width="stretch")
    until = field.number("", 0, (0, 10_000))
    forced = Field[Any]("", [], read_forced, write_forced)


Writing = type[Translate] | type[Generate]
"""The fields of Translate or of Generate, for what both have."""


# -- Masks ---------------------------------------------------------------------------------------


def _either(one: Condition, other: Condition) -> Condition:
    return lambda: one() or other()


class Masks(Fields):
    """A sentence, an encoder, a mask or an efficient method with its sizes, and a head."""

    part, text = PART, View.text
    encoder = field.box(N_("Our encoder"), OUR_ENCODERS, key="encoder", hidden=True, width=190)
    mask = field.box(
        N_("Mask"),
        {**MASK_NAMES, "efficient": N_("Efficient attention")},
        always=True,
        key="mask_kind",
        hidden=True,
        width=165,
    )
    inverted = field.flag(
        N_("Inverted"),
        when=mask.among(*MASK_NAMES),
        help=N_(
            "A classic mistake: the code reads True as “hidden”, but it means "
            "“allowed”. Every cell becomes its opposite."
        ),
    )
    pads = field.number(
        N_("[PAD] tokens"),
        3,
        (0, MAX_PADDING),
        when=mask.among(*PADDED_MASKS),
    )
    cells = Field("", "", read_drawn, when=mask.among("drawn"), key="drawn_mask")
    _efficient = mask.among("efficient")
    method = field.box(
        N_("Method"),
        {
            "window": N_("Window"),
            "global": N_("Window + global"),
            "low_rank": N_("Low rank"),
            "features": N_("Random features"),
            "hashing": N_("Hashing"),
        },
        always=True,
        when=_efficient,
        key="efficient_method",
        hidden=True,
        width=170,
    )
    reach = field.number(
        N_("Reach (each side)"),
        2,
        (0, 4096),
        when=_either(mask.among("window"), method.among("window", "global", where=_efficient)),
    )
    global_ = field.number(
        N_("Global"), 1, (0, 64), when=method.among("global", where=_efficient), key="n_global"
    )
    rank = field.number(N_("Rank k"), 4, (1, 4096), when=method.among("low_rank", where=_efficient))
    features = field.number(
        N_("Features m"), 64, (1, 65_536), when=method.among("features", where=_efficient)
    )
    buckets = field.number(
        N_("Buckets"), 4, (2, 64), step=2, when=method.among("hashing", where=_efficient)
    )
    seed = field.number(
        N_("Seed"),
        0,
        (0, 10**6),
        when=method.among("features", "hashing", where=_efficient),
        key="efficient_seed",
    )
    # scratch's L2·H0 often attends to a later verb: a causal mask visibly removes that weight.
    layer = replace(View.layer, default=2, key="mask_layer")
    head = replace(View.head, default=0, key="mask_head")


PARAMETERS = {
    "translate": Translate.fields,
    "generate": Generate.fields,
    "masks": Masks.fields,
    # Links to the part that Efficient attention was.
    "efficient": {**Masks.fields, "mask": replace(Masks.mask, default="efficient")},
}
"""Fields by part."""
