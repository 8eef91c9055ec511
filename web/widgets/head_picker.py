"""Pickers of a layer and a head."""

from typing import Any

import streamlit as st

from model import AttentionCapture
from web.language import _, listed
from web.view_state.field import Field
from web.view_state.parameters import View


def head_name(layer: int, head: int) -> str:
    """Return a head's name on screen, L3·H1; both count from 0."""
    return f"L{layer}·H{head}"


def layers_without_attention(capture: AttentionCapture) -> str:
    """Return a sentence that lists the layers without attention; "" if there are none."""
    missing = capture.without_attention()
    if not missing:
        return ""
    names = listed(f"L{layer}" for layer in missing)
    return _("No attention: {layers}. These layers mix tokens in another way.").format(layers=names)


def shared_keys(capture: AttentionCapture) -> list[str] | None:
    """Describe the groups of heads that share a key and value head; None if there are none."""
    if not capture.has_steps:
        return None
    groups: dict[int, list[int]] = {}
    for head in range(capture.n_heads):
        groups.setdefault(capture.key_head(head), []).append(head)
    if len(groups) == capture.n_heads:
        return None
    return [
        _("H{first} to H{last} have their own queries and share keys and values.").format(
            first=heads[0], last=heads[-1]
        )
        for heads in groups.values()
    ]


def chosen_head(
    layers: int, heads: int, layer: Field[int] = View.layer, head: Field[int] = View.head
) -> tuple[int, int]:
    """Return the session's layer and head, limited to the model's sizes, at least one each."""
    return min(layer.value, layers - 1), min(head.value, heads - 1)


def head_boxes(
    layers: int,
    heads: int,
    layer: Field[int] = View.layer,
    head: Field[int] = View.head,
    **look: Any,
) -> None:
    """Draw the layer and head pickers of a model with so many layers and heads in each."""
    index_box(layer, layers, "L", **look)
    index_box(head, heads, "H", **look)


def index_box(field: Field[int], count: int, letter: str, label: str = "", **look: Any) -> None:
    """Draw the picker of a layer or a head; an index beyond the count becomes the last one."""
    wanted, last = field.value, count - 1
    if wanted > last:
        field.value = last
        st.toast(
            _("This model has no {wanted}; {shown} is shown.").format(
                wanted=f"{letter}{wanted}", shown=f"{letter}{last}"
            )
        )
    field.draw(
        label,
        range(count),
        format_func=f"{letter}{{}}".format,
        # With a default value the browser would drop an equal value that the server sets.
        index=None,
        required=True,
        width=100,
        help=_("Layers and heads count from 0: L3·H1 is the fourth layer's second head."),
        **look,
    )
