"""A whole layer on the reader's sentence: one token's way, from what enters to what leaves."""

from functools import partial

import streamlit as st

from model import HeadlightError
from model.calculator import Settings
from pages.calculator.address import PARAMETERS
from pages.calculator.cards import draw_steps, keep_link
from pages.calculator.controls import choose_decimals, repaint
from pages.calculator.take_away import remember, take_away
from pages.calculator.whole_layer_run import layers_of
from pages.calculator.whole_layer_task import Layer
from pages.shared import cache, sentence
from pages.shared.head_picker import head_boxes
from pages.shared.language import _, in_words, plain
from pages.shared.model_picker import pick_model
from pages.shared.source import show_source
from pages.shared.take_away import stem
from pages.shared.trained_length import beyond_training
from viz.cards.layer_window import DIMS, KEYS

INSTEAD = {"minilm": "scratch-minilm"}
"""A pretrained model, and the name under which our own code carries its weights."""


def draw() -> None:
    """Draw sentence, model, and the layer's cards."""
    ready = sentence.ask()
    model = pick_model(PARAMETERS["left"].key, _("Model"))
    if not ready:
        return
    beyond_training(model.name)
    try:
        layers_of(model)
    except HeadlightError as error:
        _offer_ours(model.name, error)
        return
    choose_decimals(repaint)
    _steps(model.name)
    take_away("headlight_layer")


def _offer_ours(name: str, error: HeadlightError) -> None:
    """Say why a model's layers are not followed, and what can be."""
    st.info(plain(in_words(error)))
    if name in INSTEAD:
        st.button(
            _("Take {model}: the same numbers").format(model=INSTEAD[name]),
            key="take_ours",
            on_click=partial(_take, INSTEAD[name]),
        )


def _take(name: str) -> None:
    """Choose a model; a callback."""
    st.session_state[PARAMETERS["left"].key] = name


@st.fragment(key="calculation")
def _steps(name: str) -> None:
    """The choice of layer, head and token, and the cards: nothing else is repainted."""
    model = cache.loaded_model(name)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        head_boxes("", model.n_layers, model.n_heads, _("Layer"), _("Head"))
        _choose_windows(Layer.of_session(name))
    task = Layer.of_session(name)
    remember(task)
    st.caption(
        _(
            "Worked out anew in 64 bits from what enters the layer: what leaves it is within "
            "{off:.1g} of what the model computed in 32."
        ).format(off=task.run().exit_off)
    )
    look = task.look(st.session_state["look"])
    draw_steps(task.show(Settings()), task.names(), key="steps", side="left", toggles=False,
               look=look)  # fmt: skip
    _offer_matrix(task)
    show_source("calculation", ["head", "whole_layer"])
    keep_link()


def _choose_windows(task: Layer) -> None:
    """Draw the choice of the token, and of the dimensions that are drawn where not all are."""
    run = task.run()
    st.session_state["layer_token"] = task.token
    st.selectbox(
        _("Token"),
        range(len(run.tokens)),
        format_func=run.tokens.__getitem__,
        key="layer_token",
        persist_state="session",
        width=150,
    )
    d_model, d_head = run.whole.x.shape[1], task.window().d_head
    d_ff = run.whole.d_ff
    for key, label, length, most in (
        ("layer_dim", _("Dimension from"), d_model, DIMS),
        ("layer_part", _("In the head from"), d_head, DIMS),
        ("layer_unit", _("Hidden unit from"), d_ff, DIMS),
        ("first", _("Key from"), len(run.sources or run.tokens), KEYS),
    ):
        last = max(length - most, 0)
        st.session_state[key] = min(st.session_state[key], last)
        if last:
            st.number_input(
                label,
                min_value=0,
                max_value=last,
                step=most,
                key=key,
                persist_state="session",
                width=150,
                help=_("{shown} of {count} are drawn; all of them take part.").format(
                    shown=most, count=length
                ),
            )


def _offer_matrix(task: Layer) -> None:
    """Draw what takes one matrix away, whole: all tokens, all dimensions."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        name = st.selectbox(
            _("A matrix as CSV, whole"), task.matrices(), key="layer_matrix", width=260
        )
        st.download_button(
            _("CSV"),
            data=partial(task.csv, name),
            file_name=f"headlight_{stem(task.model, f'L{task.layer}', name)}.csv",
            mime="text/csv",
            key="layer_csv",
            on_click="ignore",
            icon=":material/table:",
        )
