"""What a layer may show, each with its formula and what it does and does not say."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import streamlit as st

from model.analysis.depth import most_flow_tokens, reachable
from model.analysis.units import unit_allowed
from pages.shared import captures
from pages.shared.choices import choose
from pages.shared.head_picker import chosen_head, head_boxes, head_name, layer_box
from pages.shared.language import _, plain
from pages.shared.recipe import Shown


@dataclass(frozen=True)
class Kind:
    """A way to look at a layer.

    Attributes:
        name: On screen.
        formula: LaTeX.
        says: What it says, and what it does not.
    """

    name: str
    formula: str
    says: str


def kinds() -> dict[str, Kind]:
    """All ways to look at a layer, in the reader's language."""
    return {
        "head": Kind(
            _("One head"),
            r"A^{(l,h)} = \mathrm{softmax}\left(\frac{Q K^{\top}}{\sqrt{d_k}}\right)",
            _(
                "Where one head of the layer reads from. It says nothing of the other heads, nor "
                "of what the layer below had already mixed into those tokens."
            ),
        ),
        "mean": Kind(
            _("Mean over heads"),
            r"\bar{A}^{(l)} = \frac{1}{H} \sum_h A^{(l,h)}",
            _(
                "Where the layer reads from on average. Heads that do different things blur into "
                "one another, and a head that reads much may write little."
            ),
        ),
        "rollout": Kind(
            _("Rollout"),
            r"R^{(l)} = \tfrac{1}{2}\left(\bar{A}^{(l)} + I\right) R^{(l-1)}",
            _(
                "Which words of the input a token of this layer may have been mixed from, all "
                "paths multiplied and added up (Abnar and Zuidema 2020). It takes every head and "
                "the residual path for equally strong, and knows nothing of values."
            ),
        ),
        "flow": Kind(
            _("Flow"),
            r"F^{(l)}_{ij} = \mathrm{maxflow}\left(i^{(l)} \to j^{(0)}\right)",
            _(
                "How much could reach a token of this layer from each word of the input, if "
                "attention were the width of pipes (Abnar and Zuidema 2020). Each pair is asked "
                "alone, so rows need not sum to 1."
            ),
        ),
        "norm": Kind(
            _("Value-weighted"),
            r"\frac{\lVert \sum_h A^{(l,h)}_{ij} f^{(h)}(x_j) \rVert}"
            r"{\sum_k \lVert \sum_h A^{(l,h)}_{ik} f^{(h)}(x_k) \rVert},"
            r"\quad f^{(h)}(x) = (x W^V_h + b^V_h) W^O_h",
            _(
                "How much each token really writes into the layer's output: the weight times the "
                "length of what is carried (Kobayashi et al. 2020), as a share of the row. Much "
                "attention on [CLS] or [SEP], or on a decoder's first token, often carries next to "
                "nothing. x is what attention reads: behind the norm, where the norm is pre. "
                "Directions, and the residual path, are left out."
            ),
        ),
    }


def choose_kind() -> str:
    """Draw the choice, its formula and its caution; what was chosen."""
    known = kinds()
    names = {name: kind.name for name, kind in known.items()}
    chosen: str = choose(_("What a layer shows"), names, "layer_kind")
    formula, says = st.columns([2, 3], vertical_alignment="center")
    formula.latex(known[chosen].formula)
    says.caption(known[chosen].says)
    return chosen


def maps(shown: Shown, kind: str, head: int) -> np.ndarray:
    """Every layer of a side as that kind shows it, between its units: (L, U, U).

    Raises:
        HeadlightError: If the kind is not offered at this length.
    """
    recipe = shown.recipe
    if kind == "head":
        return shown.weights(shown.capture.weights[:, head])
    return shown.weights(captures.layered(recipe.model, recipe.text, recipe.text_pair, kind))


def allowed(shown: Shown, kind: str) -> np.ndarray | None:
    """What masks leave to be seen between a side's units, of each layer as that kind shows it.

    Returns:
        Boolean (L, U, U), or (1, U, U) where all layers have one; None if nothing is hidden.
    """
    masks: Sequence[np.ndarray | None] = shown.capture.allowed
    if kind in ("rollout", "flow"):
        masks = reachable(masks)
    return unit_allowed(masks, shown.units)


def allowed_in(shown: Shown, kind: str) -> np.ndarray | None:
    """The same of the selected layer, (U, U)."""
    masks = allowed(shown, kind)
    return None if masks is None else masks[min(selected_layer(shown), len(masks) - 1)]


def hides_as_layer(shown: Shown, kind: str) -> bool:
    """Whether what the selected layer's own mask hides is what this kind hides there."""
    own, of_kind = shown.allowed_in(selected_layer(shown)), allowed_in(shown, kind)
    return own is not None and of_kind is not None and np.array_equal(own, of_kind)


def place_boxes(kind: str, *sides: Shown) -> None:
    """Draw the choice of the layer, and of the head where one is shown."""
    n_layers = max(shown.capture.n_layers for shown in sides)
    n_heads = max(shown.capture.n_heads for shown in sides)
    with st.container(horizontal=True):
        if kind == "head":
            head_boxes("", n_layers, n_heads, _("Layer"), _("Head"))
        else:
            layer_box(n_layers)


def selected_head(shown: Shown) -> int:
    """The session's head, inside what the model has."""
    return chosen_head(shown.capture.n_layers, shown.capture.n_heads)[1]


def selected_layer(shown: Shown) -> int:
    """The session's layer, inside what the model has."""
    return chosen_head(shown.capture.n_layers, shown.capture.n_heads)[0]


def place(shown: Shown, kind: str) -> str:
    """Which layer and which view of it: a figure's title beside the model."""
    layer = selected_layer(shown)
    if kind == "head":
        return head_name(layer, selected_head(shown))
    return f"L{layer}, {kinds()[kind].name}"


def too_long(kind: str, shown: Shown) -> bool:
    """Whether a side is too long for this kind."""
    capture = shown.capture
    return kind == "flow" and len(capture.tokens) > most_flow_tokens(capture.n_layers)


def say_too_long(shown: Shown) -> None:
    """Say what is not offered, and what is."""
    st.info(
        _(
            "Flow is offered up to {most} tokens, and {model} reads {count}: it would take too "
            "long. Rollout has no such bound."
        ).format(
            most=most_flow_tokens(shown.capture.n_layers),
            model=plain(shown.name),
            count=len(shown.capture.tokens),
        )
    )
