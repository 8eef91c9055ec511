"""Inputs of the size counter, and the preset buttons."""

import streamlit as st

from model.transformer.cost import BITS
from pages.about.presets import presets
from pages.about.url import LIMITS, has_variants, key, store
from web.language import _
from web.widgets.choices import choose


def choose_sizes() -> None:
    """Draw the buttons and the inputs; their values are in the session state."""
    with st.container(horizontal=True):
        for name, known in presets().items():
            st.button(known.name, key=f"preset_{name}", on_click=store, args=(known.architecture,))
    kinds = {
        "encoder": _("Encoder"),
        "decoder": _("Decoder"),
        "both": _("Encoder and decoder"),
    }
    kind = choose(_("Part to count"), kinds, key("kind"), label_hidden=True)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        _widths(kind)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        _variants(kind)
    with (
        st.expander(_("Variants of newer models"), expanded=has_variants()),
        st.container(horizontal=True, vertical_alignment="bottom"),
    ):
        _newer(kind)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        _workload(kind)


def _widths(kind: str) -> None:
    state = st.session_state
    one_table = kind != "both" or state[key("shared")]
    _box("vocab", _("Vocabulary") if one_table else _("Source vocabulary"))
    if not one_table:
        _box("target", _("Target vocabulary"))
    _box("d_model", "d_model")
    _box("heads", _("Heads"))
    _box("d_ff", "d_ff")
    _box("layers", _("Encoder layers") if kind == "both" else _("Layers"))
    if kind == "both":
        _box("target_layers", _("Decoder layers"))
    _box(
        "d_embedding",
        _("Table width"),
        help=_("Width of the token table, projected to d_model as in ALBERT. 0: d_model."),
    )


def _variants(kind: str) -> None:
    choose(_("Norm"), {"post": _("post"), "pre": _("pre")}, key("norm"))
    positions = {
        "sinusoidal": _("sinusoidal"),
        "learned": _("learned"),
        "relative": _("relative"),
        "none": _("none"),
    }
    choose(_("Positions (rotary: none)"), positions, key("positions"))
    if st.session_state[key("positions")] == "learned":
        _box("length", _("Positions learned"))
    elif st.session_state[key("positions")] == "relative":
        _box("buckets", _("Buckets"), help=_("Each head learns one score for each bucket."))
    if kind != "decoder":
        _box("segments", _("Segments"))
    _toggle("embedding_norm", _("Embedding norm"))
    if kind == "encoder":
        _toggle("pooler", _("Pooler"))
    if kind == "both":
        _toggle("shared", _("Shared token table"))


def _newer(kind: str) -> None:
    _box("key_heads", _("Key/value heads"), help=_("For grouped queries. 0: the number of heads."))
    _box("d_head", _("Head width"), help=_("0: d_model divided by the heads."))
    biases = {"all": _("all"), "qkv": _("q, k, v"), "none": _("none")}
    choose(_("Biases"), biases, key("biases"))
    _box(
        "experts",
        _("Experts"),
        help=_("Feed-forward parts per layer (mixture of experts). 1: no experts."),
    )
    if st.session_state[key("experts")] > 1:
        _box("active", _("Experts per token"))
    _toggle("gated", _("Gated feed-forward"))
    _toggle("rms_norm", _("RMSNorm"))
    _toggle("qk_norm", _("Norm of q and k"))
    if kind != "encoder":
        _toggle("untied", _("Separate output table"))


def _workload(kind: str) -> None:
    """Draw the inputs of the workload, which affect arithmetic and memory but not parameters."""
    choose(_("Number type"), list(BITS), key("type"))
    _box("tokens", _("Target tokens n") if kind == "both" else _("Tokens n"))
    if kind == "both":
        _box("source", _("Source tokens"))


def _box(name: str, label: str, help: str | None = None) -> None:
    low, high = LIMITS[name]
    st.number_input(
        label,
        min_value=low,
        max_value=high,
        key=key(name),
        persist_state="session",
        width=150,
        help=help,
    )


def _toggle(name: str, label: str) -> None:
    st.toggle(label, key=key(name), persist_state="session")
