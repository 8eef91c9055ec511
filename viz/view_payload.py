"""The message of a capture view: one or two subjects with all their heads."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from viz.canvas import StoreCells, heads_of, join
from viz.figures.heatmap import attention_heatmap
from viz.style.labels import distinct
from viz.style.theme import HEAD_COLOURS, SIDE_RGB, THEME_PAPER, THEME_TEXT, Side, colour_scale

Part = tuple[dict[str, Any], np.ndarray]
"""Header and cells of a subject."""


def subject_part(
    weights: np.ndarray,
    names: Sequence[str],
    /,  # the header has a field "names", too
    *,
    key_names: Sequence[str] | None = None,
    allowed: np.ndarray | None = None,
    side: Side,
    hue: Side,
    title: str,
    translate: Callable[[str], str],
    store: StoreCells | None,
    whole: tuple[int, int] | None = None,
    **meta: Any,
) -> Part:
    """Return the header and the cells of a subject.

    Args:
        weights: All heads between units, (L, H, Uq, Uk).
        names: Names of the queries, length Uq.
        key_names: Names of the keys, length Uk; None if they are the queries.
        allowed: The masks, boolean, (L or 1, Uq, Uk); None if nothing is hidden.
        hue: The side whose colour it has.
        title: Of the figure; the browser replaces the head in it.
        store: Stores the cells of all heads and returns their URL, for long sentences; None: the
            message has them all.
        whole: Layer and head that the message has exactly, also of a long sentence.
        **meta: Further fields of the header.
    """
    n_layers = len(weights)
    masks: list[np.ndarray | None] = [None]
    figure_of = [0] * n_layers
    if allowed is not None:
        distinct_masks, which = np.unique(allowed, axis=0, return_inverse=True)
        masks = list(distinct_masks)
        figure_of = np.broadcast_to(which, n_layers).tolist()
    header, cells = heads_of(
        weights,
        distinct(names),
        key_labels=None if key_names is None else distinct(key_names),
        allowed=None if allowed is None else allowed[:, None],  # the same for all heads of a layer
        store=store,
        whole=whole,
        side=side,
        rgb=SIDE_RGB[hue],
        colours=list(HEAD_COLOURS),
        colorscales={"linear": colour_scale(hue), "sqrt": colour_scale(hue, sqrt=True)},
        figure_of=figure_of,
        figures=[],
        strings=figure_strings(translate),
        **meta,
    )
    for mask in masks:  # the figure of any head with this mask, without its numbers
        figure = attention_heatmap(
            np.zeros(weights.shape[-2:], np.float32),
            names,
            key_names,
            title=title,
            side=hue,
            allowed=mask,
            text_colour=THEME_TEXT,
            paper_colour=THEME_PAPER,
            translate=translate,
        ).to_dict()
        for part in ("z", "text", "colorscale"):
            figure["data"][0].pop(part, None)
        del figure["layout"]["yaxis"]["scaleanchor"]  # map.js sets the size of a cell
        header["figures"].append(figure)
    return header, cells


def view_payload(
    parts: Sequence[Part], groups: Sequence[Sequence[Sequence[int]]] | None, **meta: Any
) -> bytes:
    """Return the message of a view.

    Args:
        groups: Units of both subjects that share text, as pairs of lists; None for equal units.
    """
    headers, cells = zip(*parts, strict=True)
    header = {"subjects": headers, "groups": groups, **meta}
    return join(header, np.concatenate([each.ravel() for each in cells]))


def view_strings(translate: Callable[[str], str]) -> dict[str, str]:
    """Return the sentences of a view; the browser fills in the names in braces."""
    return {
        "said": translate(
            "In {model}, head {head}, “{query}” gives {weight} of its attention to “{key}”."
        ),
        "said_after": translate(
            "In {model}, head {head}, “{query}” gives {rest} of its attention to {special}, and "
            "{weight} to “{key}”."
        ),
        "said_special": translate(
            "In {model}, head {head}, “{query}” gives {rest} of its attention to {special}."
        ),
        "said_tie": translate(
            "In {model}, head {head}, “{query}” gives {weight} of its attention to “{key}”, and as "
            "much to “{other}”."
        ),
        "said_tie_after": translate(
            "In {model}, head {head}, “{query}” gives {rest} of its attention to {special}, "
            "and {weight} each to “{key}” and “{other}”."
        ),
        "first": translate("the first token “{token}”"),
        "nothing": translate(
            "In {model}, head {head} attends only to special tokens or the first token."
        ),
        "similar": translate(
            "Most similar in {model}: {head}. Their weights differ by {distance} (0: equal; 1: "
            "nothing in common)."
        ),
        "without": translate("Layer {layer} of {model} has no attention."),
        "alt": translate("{model} · {head}. The largest weight is {query} to {key}, {weight}."),
        "masked": translate("masked"),
        "comma": translate(", "),
        "gives": translate("From “{token}” (words only)"),
        "gets": translate("To “{token}” (words only)"),
        "largest": translate("Largest among words"),
        "sources": translate("Largest sources among other words"),
        "rests": translate(
            "The list leaves out special tokens, which get {share} of this head's attention. A "
            "token that finds nothing useful is thought to attend to them."
        ),
        "rests_first": translate(
            "The list leaves out the first token, which gets {share} of this head's attention. A "
            "token that finds nothing useful is thought to attend to it."
        ),
        "unlike": translate(
            "{of} need not be the same head in two models. On this sentence, the head of {here} "
            "most like {model}'s {of} is {head} (distance {distance}; 0: equal, 1: nothing in "
            "common)."
        ),
        "distance": translate(
            "0: equal weights; 1: nothing in common (Jensen–Shannon distance, the mean of all "
            "rows)."
        ),
        "unsent": translate("The file was not sent. Check the connection, and drop it again."),
    }


def figure_strings(translate: Callable[[str], str]) -> dict[str, str]:
    """Return the words of a figure's toolbar, and of its table."""
    return {
        "png": translate("Download the figure as PNG"),
        "svg": translate("Download the figure as SVG"),
        "csv": translate("Download the numbers as CSV"),
        "html": translate("Download the figure as an interactive page"),
        "reset": translate("Reset axes"),
        "zoom_back": translate("Double-click to zoom back out"),
        "waiting": translate("The figure is loading."),
        "corner": translate("row \\ column"),
        "curve": translate("curve"),
    }
