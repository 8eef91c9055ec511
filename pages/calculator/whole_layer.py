"""The mode "A whole layer": one token through a layer, from its input to its output."""

from functools import partial

import streamlit as st

from model import HeadlightError
from model.calculator import Settings
from pages.calculator.cards import draw_steps, write_link
from pages.calculator.controls import choose_decimals, repaint
from pages.calculator.export import export_buttons, remember
from pages.calculator.layer_calculation import LayerCalculation
from pages.calculator.layer_run import sizes
from pages.calculator.request import StackRequest
from pages.calculator.request_form import request_form
from pages.calculator.url import PARAMETERS
from pages.calculator.whole_layer_windows import choose_windows
from web.inference.compute_queue_ui import queue_fragment
from web.language import _, in_words, plain
from web.widgets import present
from web.widgets.export import stem
from web.widgets.head_picker import head_boxes
from web.widgets.model_name import model_name
from web.widgets.source import show_source

OWN_COPIES = {"minilm": "scratch-minilm"}
"""Pretrained models, and the models of this project's code with the same weights."""


def draw() -> None:
    """Draw the choice of a model and its text, and the layer's cards."""
    request = request_form(_("Whose layers"), "encoder", "source", "decoder")
    if request is None or not _has_own_layers(request):
        return
    _steps(request)
    export_buttons("headlight_layer")


def _has_own_layers(request: StackRequest) -> bool:
    """Whether the model consists of this project's layers; if not, draw an alternative."""
    try:
        sizes(request)
    except HeadlightError as error:
        _offer_copy(request.model, error)
        return False
    return True


def _offer_copy(name: str, error: HeadlightError) -> None:
    """Draw the error, and a button for the copy of the model."""
    st.info(plain(in_words(error)))
    if name in OWN_COPIES:
        st.button(
            _("Use {model}, which has the same numbers").format(model=OWN_COPIES[name]),
            key="take_ours",
            on_click=partial(_choose_model, OWN_COPIES[name]),
        )


def _choose_model(name: str) -> None:
    """Choose a model; a callback."""
    st.session_state[PARAMETERS["left"].key] = name


@queue_fragment("calculation")
def _steps(request: StackRequest) -> None:
    """Draw the choice of layer, head and token, and the cards; nothing else reruns."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        head_boxes("", *sizes(request), _("Layer"), _("Head"))
        choose_windows(LayerCalculation.of_session(request))
        choose_decimals(repaint)
    layer = LayerCalculation.of_session(request)
    remember(layer)
    st.caption(
        _(
            "Computed again in 64 bits from the layer's input. The result differs from the "
            "model's own (32 bits) by at most {off:.1g}."
        ).format(off=layer.run().output_error)
    )
    draw_steps(
        layer.show(Settings(), st.session_state["decimals"]),
        layer.names(),
        key="steps",
        side="left",
        toggles=False,
        selection=layer.initial_selection(st.session_state["look"]),
    )
    _draw_csv_download(layer)
    show_source("calculation", ["head", "whole_layer"])
    names = (model_name(request.model), request.in_words())
    present.caption_line(*names, walk=present.Walk(*sizes(request)))
    write_link()


def _draw_csv_download(layer: LayerCalculation) -> None:
    """Draw the download of a whole matrix: all tokens, all dimensions."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        name = st.selectbox(
            _("A whole matrix as CSV"), layer.matrices(), key="layer_matrix", width=260
        )
        st.download_button(
            _("CSV"),
            data=partial(layer.csv, name),
            file_name=f"headlight_{stem(layer.request.model, f'L{layer.layer}', name)}.csv",
            mime="text/csv",
            key="layer_csv",
            on_click="ignore",
            icon=":material/table:",
        )
