"""A whole layer on the reader's sentence: one token's way, from what enters to what leaves."""

from functools import partial

import streamlit as st

from model import HeadlightError
from model.calculator import Settings
from pages.calculator.address import PARAMETERS
from pages.calculator.ask import ask
from pages.calculator.asked import Asked
from pages.calculator.cards import draw_steps, keep_link
from pages.calculator.controls import choose_decimals, repaint
from pages.calculator.take_away import remember, take_away
from pages.calculator.whole_layer_ask import choose_windows
from pages.calculator.whole_layer_run import sizes
from pages.calculator.whole_layer_task import Layer
from pages.shared import present
from pages.shared.head_picker import head_boxes
from pages.shared.language import _, in_words, plain
from pages.shared.model_name import model_name
from pages.shared.source import show_source
from pages.shared.take_away import stem
from pages.shared.turns import part

INSTEAD = {"minilm": "scratch-minilm"}
"""A pretrained model, and the name under which our own code carries its weights."""


def draw() -> None:
    """Draw what is looked at, and the layer's cards."""
    asked = ask(_("Whose layers"), "encoder", "source", "decoder")
    if asked is None or not _followed(asked):
        return
    _steps(asked)
    take_away("headlight_layer")


def _followed(asked: Asked) -> bool:
    """Whether a model's layers are ours; if they are not, say what can be followed instead."""
    try:
        sizes(asked)
    except HeadlightError as error:
        _offer_ours(asked.model, error)
        return False
    return True


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


@part("calculation")
def _steps(asked: Asked) -> None:
    """The choice of layer, head and token, and the cards: nothing else is repainted."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        head_boxes("", *sizes(asked), _("Layer"), _("Head"))
        choose_windows(Layer.of_session(asked))
        choose_decimals(repaint)
    task = Layer.of_session(asked)
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
    said = (model_name(asked.model), asked.in_words())
    present.caption_line(*said, walk=present.Walk(*sizes(asked)))
    keep_link()


def _offer_matrix(task: Layer) -> None:
    """Draw what takes one matrix away, whole: all tokens, all dimensions."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        name = st.selectbox(
            _("A matrix as CSV, whole"), task.matrices(), key="layer_matrix", width=260
        )
        st.download_button(
            _("CSV"),
            data=partial(task.csv, name),
            file_name=f"headlight_{stem(task.asked.model, f'L{task.layer}', name)}.csv",
            mime="text/csv",
            key="layer_csv",
            on_click="ignore",
            icon=":material/table:",
        )
