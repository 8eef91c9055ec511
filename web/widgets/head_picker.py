"""Pickers of a layer and a head."""

import streamlit as st

from model import AttentionCapture
from web.language import _


def head_name(layer: int, head: int) -> str:
    """Return a head's name on screen, L3·H1; both count from 0."""
    return f"L{layer}·H{head}"


def layers_without_attention(capture: AttentionCapture) -> str:
    """Return a sentence that lists the layers without attention; "" if there are none."""
    missing = capture.without_attention()
    if not missing:
        return ""
    names = ", ".join(f"L{layer}" for layer in missing)
    return _("No attention: {layers}. These layers mix tokens in another way.").format(layers=names)


def shared_keys(capture: AttentionCapture) -> list[str] | None:
    """Describe the groups of query heads that share a key and value head.

    Returns:
        A sentence for each key head, in order; None if every head has its own, or keys are unknown.
    """
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


def chosen_head(layers: int, heads: int, prefix: str = "") -> tuple[int, int]:
    """Return the session's layer and head, limited to the model's sizes.

    Args:
        layers: Number of layers, at least one.
        heads: Number of heads per layer, at least one.
        prefix: Prefix of the session keys ``layer`` and ``head``.
    """
    layer, head = (st.session_state[f"{prefix}{name}"] for name in ("layer", "head"))
    return min(layer, layers - 1), min(head, heads - 1)


def layer_box(layers: int) -> None:
    """Draw the layer picker; see :func:`head_boxes`."""
    _index_box("layer", layers, _("Layer"), "L")


def head_boxes(
    prefix: str,
    layers: int,
    heads: int,
    layer_label: str,
    head_label: str,
    *,
    in_row: bool = False,
) -> None:
    """Draw the layer and head pickers; an index beyond the model's sizes becomes the last one.

    Args:
        prefix: Prefix of the session keys ``layer`` and ``head``.
    """
    _index_box(f"{prefix}layer", layers, layer_label, "L", in_row=in_row)
    _index_box(f"{prefix}head", heads, head_label, "H", in_row=in_row)


def _index_box(key: str, count: int, label: str, letter: str, *, in_row: bool = False) -> None:
    wanted = st.session_state[key]
    if wanted >= count:
        st.session_state[key] = count - 1
        st.toast(
            _("This model has no {wanted}; {shown} is shown.").format(
                wanted=f"{letter}{wanted}", shown=f"{letter}{count - 1}"
            )
        )
    st.selectbox(
        label,
        range(count),
        # With a default value the browser would drop an equal value that the server sets.
        index=None,
        required=True,
        key=key,
        format_func=f"{letter}{{}}".format,
        persist_state="session",
        label_visibility="collapsed" if in_row else "visible",
        width=100,
        help=_("Layers and heads count from 0: L3·H1 is the fourth layer's second head."),
    )
