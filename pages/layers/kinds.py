"""Kinds of layer map: mean, value-weighted, one head, rollout, flow."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import streamlit as st

from model import flow, head_mean, rollout, scaled_dot_product_attention, value_norms
from model.analysis.depth import reachable
from model.analysis.units import unit_allowed
from pages.layers.url import Layers
from web.cache import captures
from web.language import _
from web.subject import Subject
from web.widgets.head_picker import chosen_head, index_box


def formulas() -> dict[str, tuple[str, str]]:
    """Return the formula of each kind, and what it means, in the reader's language."""
    return {
        "mean": (
            r"\bar{A}^{(l)} = \frac{1}{H} \sum_h A^{(l,h)}",
            _(
                "The mean over the heads of a layer. Heads that do different things blur together, "
                "and a large weight may carry almost nothing: choose Value-weighted above."
            ),
        ),
        "norm": (
            r"\frac{\lVert \sum_h A^{(l,h)}_{ij} f^{(h)}(x_j) \rVert}"
            r"{\sum_k \lVert \sum_h A^{(l,h)}_{ik} f^{(h)}(x_k) \rVert},"
            r"\quad f^{(h)}(x) = (x W^V_h + b^V_h) W^O_h",
            _(
                "How much each token adds to another one: its transformed values times the weights "
                "are added up over the heads; the length of this sum, as a share of the row "
                "(Kobayashi et al. 2020). x is what enters attention. The residual path does not "
                "count."
            ),
        ),
        "head": (
            r"A^{(l,h)} = \mathrm{softmax}\left(\frac{Q K^{\top}}{\sqrt{d_k}}\right)",
            _(
                "The weights of one head. After the first layer, each position holds a mixture of "
                "several tokens."
            ),
        ),
        "rollout": (
            r"R^{(l)} = \tfrac{1}{2}\left(\bar{A}^{(l)} + I\right) R^{(l-1)}",
            _(
                "How much of each input token is in a token of this layer, over all paths through "
                "the layers below (Abnar and Zuidema 2020). Each row sums to 1. All heads count "
                "alike, and the residual path as much as all of them; values do not count."
            ),
        ),
        "flow": (
            r"F^{(l)}_{ij} = \mathrm{maxflow}\left(j^{(0)} \to i^{(l)}\right)",
            _(
                "The most that can flow from an input token to a token of this layer, if each "
                "weight is the width of a pipe (Abnar and Zuidema 2020): the mean over the heads, "
                "and half for the token itself, as in rollout."
            ),
        ),
    }


def chosen_kind() -> str:
    """Return the kind that the page shows."""
    return Layers.kind.value or ("head" if Layers.part.value == "difference" else "mean")


def named(kind: str) -> str:
    """Return the name of a kind on screen."""
    return Layers.kind.names()[kind]


def shows_one_head() -> bool:
    """Return whether the page shows a head, not a layer."""
    return Layers.part.value in ("layers", "difference") and chosen_kind() == "head"


def draw_boxes(*sides: Subject, layer: bool = False) -> None:
    """Draw the picker of a kind, of the head that it shows, and of a layer if wanted."""
    explained = {
        "norm": _("Value-weighted: what is passed on"),
        "rollout": _("Rollout: estimated sources of a token"),
        "flow": _("Flow: most that can come from a token"),
    }
    Layers.kind.draw_as(chosen_kind(), options={**Layers.kind.names(), **explained})
    hidden = {"label_visibility": "collapsed"}
    if layer:
        index_box(Layers.layer, max(view.capture().n_layers for view in sides), "L", **hidden)
    if shows_one_head():
        index_box(Layers.head, max(view.capture().n_heads for view in sides), "H", **hidden)


def draw_formula(formula: str = "", text: str = "") -> None:
    """Draw a folded formula and what it means, by default of the chosen kind."""
    if not formula:
        formula, text = formulas()[chosen_kind()]
    with st.expander(_("Formula and limits"), icon=":material/function:", key="formula"):
        st.latex(formula)
        st.caption(text)


def maps(view: Subject) -> np.ndarray:
    """Return the maps of every layer of a side between its units, (L, U, U)."""
    if chosen_kind() == "head":
        return view.between_units(view.capture().weights[:, selected(view)[1]])
    text = view.model, view.text, view.text_pair
    return view.between_units(captures.layer_maps(*text, chosen_kind()))


def allowed(view: Subject) -> np.ndarray | None:
    """Visible cells between units, boolean (L or 1, U, U); None without a mask."""
    masks: Sequence[np.ndarray | None] = view.capture().allowed
    if chosen_kind() in ("rollout", "flow"):
        masks = reachable(masks)
    return unit_allowed(masks, view.units)


def code(view: Subject, capture: str = "capture", model: str = "model") -> str:
    """Return code of the selected layer's weights between the tokens of a capture."""
    layer, head = selected(view)
    return {
        "mean": f"head_mean({capture}.weights)[{layer}]",
        "norm": f"by_layer({model}, {capture}, 'norm')[{layer}]",
        "head": f"{capture}.weights[{layer}, {head}]",
        "rollout": f"rollout({capture}.weights)[{layer}]",
        "flow": f"flow({capture}.weights, {layer})",
    }[chosen_kind()]


FUNCTIONS: dict[str, tuple[Callable[..., Any], str]] = {
    "mean": (head_mean, "Abnar & Zuidema 2020, 3"),
    "norm": (value_norms, "Kobayashi et al. 2020, 3"),
    "head": (scaled_dot_product_attention, "Vaswani et al. 2017, 3.2.1"),
    "rollout": (rollout, "Abnar & Zuidema 2020, 3"),
    "flow": (flow, "Abnar & Zuidema 2020, 3"),
}
"""The function that computes a kind, and its section of a paper."""


def selected(view: Subject) -> tuple[int, int]:
    """Return the selected layer and head, limited to what the model has."""
    return chosen_head(view.capture().n_layers, view.capture().n_heads)


def selected_map(view: Subject) -> np.ndarray:
    """Return the map of the selected layer, (U, U); NaN where its mask hides."""
    layer, masks = selected(view)[0], allowed(view)
    shown = maps(view)[layer]
    return shown if masks is None else np.where(masks[min(layer, len(masks) - 1)], shown, np.nan)


def title(view: Subject, layer: str = "") -> str:
    """Return the selected layer, or the given one, and what is shown: L3·H1 or L3, Rollout."""
    number, head = selected(view)
    layer, kind = layer or f"L{number}", chosen_kind()
    if kind == "head":
        return f"{layer}·H{head}"
    return _("{layer}, {kind}").format(layer=layer, kind=named(kind))
