"""Kinds of layer map: mean, value-weighted, one head, rollout, flow."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
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
from web.widgets.head_picker import chosen_head, head_boxes, head_name, index_box


@dataclass(frozen=True)
class Kind:
    """A kind of layer map."""

    explanation: str
    formula: str
    limits: str


def kinds() -> dict[str, Kind]:
    """Return all kinds of layer map, in the reader's language."""
    return {
        "mean": Kind(
            _("Where a layer looks, on average over its heads."),
            r"\bar{A}^{(l)} = \frac{1}{H} \sum_h A^{(l,h)}",
            _(
                "Heads that do different things blur together. A large weight may carry almost "
                "nothing: see Value-weighted."
            ),
        ),
        "norm": Kind(
            _(
                "How much each token adds to another one. A token that gets much attention can "
                "still add little: compare with “Mean over heads”."
            ),
            r"\frac{\lVert \sum_h A^{(l,h)}_{ij} f^{(h)}(x_j) \rVert}"
            r"{\sum_k \lVert \sum_h A^{(l,h)}_{ik} f^{(h)}(x_k) \rVert},"
            r"\quad f^{(h)}(x) = (x W^V_h + b^V_h) W^O_h",
            _(
                "The weight times the length of the transformed value, as a share of the row "
                "(Kobayashi et al. 2020). x is the input of attention, in a pre-norm model after "
                "the norm. Directions and the residual path are left out."
            ),
        ),
        "head": Kind(
            _("Where one head looks. The other heads of the layer look elsewhere."),
            r"A^{(l,h)} = \mathrm{softmax}\left(\frac{Q K^{\top}}{\sqrt{d_k}}\right)",
            _("After the first layer, a token's position holds a mixture of several tokens."),
        ),
        "rollout": Kind(
            _(
                "The share of each input token in a token of this layer, added up over all paths "
                "through the layers below. Use it to ask where a deep layer's token comes from: "
                "a row sums to 1, so its cells compare."
            ),
            r"R^{(l)} = \tfrac{1}{2}\left(\bar{A}^{(l)} + I\right) R^{(l-1)}",
            _(
                "The sum over all paths (Abnar and Zuidema 2020). All heads and the residual path "
                "count alike, and values are ignored."
            ),
        ),
        "flow": Kind(
            _(
                "The most that could flow from an input token to a token of this layer, if weights "
                "were the widths of pipes. Use it to find what could not get through: a pale cell "
                "has a narrow place on every path."
            ),
            r"F^{(l)}_{ij} = \mathrm{maxflow}\left(i^{(l)} \to j^{(0)}\right)",
            _("Abnar and Zuidema 2020. Each pair is computed alone, so rows need not sum to 1."),
        ),
    }


def choose_kind() -> str:
    """Draw the picker with an explanation; return the chosen kind."""
    chosen = Layers.kind.draw()
    st.caption(kinds()[chosen].explanation)
    return chosen


def draw_formula(kind: str) -> None:
    """Draw the folded formula of a kind."""
    with st.expander(_("Formula and limits"), icon=":material/function:"):
        st.latex(kinds()[kind].formula)
        st.caption(kinds()[kind].limits)


def maps(view: Subject, kind: str, head: int) -> np.ndarray:
    """Return the maps of every layer of a side between its units, (L, U, U)."""
    if kind == "head":
        return view.between_units(view.capture().weights[:, head])
    return view.between_units(captures.layer_maps(view.model, view.text, view.text_pair, kind))


def allowed(view: Subject, kind: str) -> np.ndarray | None:
    """Visible cells between units, boolean (L or 1, U, U); None without a mask."""
    masks: Sequence[np.ndarray | None] = view.capture().allowed
    if kind in ("rollout", "flow"):
        masks = reachable(masks)
    return unit_allowed(masks, view.units)


def allowed_in(view: Subject, kind: str) -> np.ndarray | None:
    """Return the mask of the selected layer, (U, U), or None."""
    masks = allowed(view, kind)
    return None if masks is None else masks[min(selected_layer(view), len(masks) - 1)]


def has_same_mask_as_layer(view: Subject, kind: str) -> bool:
    """Return whether this kind hides the same cells as the selected layer's mask."""
    own, of_kind = allowed_in(view, "head"), allowed_in(view, kind)
    return own is not None and of_kind is not None and np.array_equal(own, of_kind)


def weights_code(
    kind: str, layer: int, head: int, capture: str = "capture", model: str = "model"
) -> str:
    """Return code of a layer's weights between the tokens of a capture."""
    return {
        "mean": f"head_mean({capture}.weights)[{layer}]",
        "norm": f"by_layer({model}, {capture}, 'norm')[{layer}]",
        "head": f"{capture}.weights[{layer}, {head}]",
        "rollout": f"rollout({capture}.weights)[{layer}]",
        "flow": f"flow({capture}.weights, {layer})",
    }[kind]


FUNCTIONS: dict[str, tuple[Callable[..., Any], str]] = {
    "mean": (head_mean, "Abnar & Zuidema 2020, 3"),
    "norm": (value_norms, "Kobayashi et al. 2020, 3"),
    "head": (scaled_dot_product_attention, "Vaswani et al. 2017, 3.2.1"),
    "rollout": (rollout, "Abnar & Zuidema 2020, 3"),
    "flow": (flow, "Abnar & Zuidema 2020, 3"),
}
"""The function that computes a kind, and its section of a paper."""


def draw_head_pickers(kind: str, *sides: Subject) -> None:
    """Draw the layer picker, and the head picker for kinds that show a head."""
    n_layers = max(view.capture().n_layers for view in sides)
    n_heads = max(view.capture().n_heads for view in sides)
    with st.container(horizontal=True):
        if kind == "head":
            head_boxes(n_layers, n_heads)
        else:
            index_box(Layers.layer, n_layers, "L")


def selected_head(view: Subject) -> int:
    """Return the selected head, limited to what the model has."""
    return chosen_head(view.capture().n_layers, view.capture().n_heads)[1]


def selected_layer(view: Subject) -> int:
    """Return the selected layer, limited to what the model has."""
    return chosen_head(view.capture().n_layers, view.capture().n_heads)[0]


def layer_title(view: Subject, kind: str) -> str:
    """Return the layer and the kind, as in a figure's title."""
    layer = selected_layer(view)
    if kind == "head":
        return head_name(layer, selected_head(view))
    return f"L{layer}, {Layers.kind.names()[kind]}"
