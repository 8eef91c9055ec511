"""A capture as a column of the capture view; its tokens are the rows and columns."""

from collections.abc import Callable

import numpy as np

from model import AttentionCapture, model_info
from model.version import citation, version
from viz import Side
from viz.canvas import StoreCells
from viz.view_payload import Part, subject_part

EVERYTHING = ("tokens", "said", "about", "heads", "head")
"""The parts of a view, from top to bottom: tokens, the sentence about the selected head, a line
about the model, all heads, the selected head."""


def hue_of(model: str) -> Side:
    """Return whose colour a model has: orange (left) for our encoders, blue (right) for others."""
    return "left" if model_info(model).from_scratch else "right"


def capture_part(
    capture: AttentionCapture,
    side: Side,
    *,
    model: str | None = None,
    translate: Callable[[str], str] = str,
    store: StoreCells | None = None,
    plotly: str = "",
) -> Part:
    """Return the column of a capture, with a column of the figure for the sink if there is one.

    Args:
        plotly: URL of Plotly's script; empty if the page has loaded it.
    """
    drawn, name = capture.with_sink_key(), model or capture.model
    names = list(capture.tokens)
    shape = drawn.weights.shape[-2:]
    masks = [np.ones(shape, bool) if mask is None else mask for mask in drawn.allowed]
    special = [bool(each) for each in capture.special] or [False] * len(names)
    # Heads of a decoder rest on its first token, as those of an encoder on special tokens.
    rests = capture.stack == "decoder" and capture.other_keys is None
    chips = [
        {"label": token, "title": token, "kind": "special" if hidden else ""}
        for token, hidden in zip(names, special, strict=True)
    ]
    return subject_part(
        drawn.weights,
        names,
        key_names=None if drawn.other_keys is None else drawn.key_tokens,
        allowed=np.stack(masks) if any(mask is not None for mask in drawn.allowed) else None,
        side=side,
        hue=hue_of(capture.model),
        title=f"{name} · L0·H0",
        translate=translate,
        store=store,
        model=name,
        about=translate("{layers} layers (L) × {heads} heads (H)").format(
            layers=capture.n_layers, heads=capture.n_heads
        ),
        sentence=" | ".join(filter(None, (capture.text, capture.text_pair))),
        description=name,
        special=[special[0] or rests, *special[1:]],
        without=list(capture.without_attention()),
        tokens={
            "label": translate("Tokens of {model}").format(model=name),
            "count": translate("{count} tokens").format(count=len(names)),
            "chips": chips,
        },
        plotly=plotly,
        file="headlight_L0-H0",
        origin={"headlight": version(), "citation": citation()},
    )
