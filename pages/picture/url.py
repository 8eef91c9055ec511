"""Fields of the Model page: a model, its text, and how far the picture is zoomed in."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any
from urllib.parse import urlencode

import streamlit as st

from model.catalogue.names import canonical_name, is_listed
from web.language import N_
from web.translators import default_text, task_of
from web.view_state import address, field
from web.view_state.address import Parameters
from web.view_state.field import Field, Fields, read_name
from web.view_state.parameters import View

PLACEHOLDERS = {"text": "~text~", "pair": "~pair~"}
"""Texts in the links of the picture: a long text is sent once, not in hundreds of links."""

UNSAID = -1
"""Value of a token for which the page chooses a default."""


def _read_model(text: str) -> str:
    name = read_name(text)
    return canonical_name(name) if is_listed(name) else name


class Reader(Fields, prefix="pictured_"):
    """Fields for an encoder or a decoder."""

    left = Field(N_("Model"), "scratch", _read_model, always=True, key="pictured")
    zoom = field.choice("", ("whole", "layer", "head", "score"), key="zoom")
    text, pair = View.text, View.pair
    layer, head = View.layer, View.head
    token = field.number("", UNSAID, (UNSAID, 9_999))
    key = field.number("", UNSAID, (UNSAID, 9_999), when=zoom.among("score"))


class Translator(Fields, prefix="pictured_"):
    """Fields for an encoder-decoder, with a text of its own."""

    left, zoom = Reader.left, Reader.zoom
    text = field.text(N_("Text to translate"), always=True, hidden=True)
    layer, head = View.layer, View.head
    token, key = Reader.token, Reader.key
    stack: Field[Any] = field.choice(
        "", ("encoder", "decoder", "cross"), "cross", when=zoom.among("layer", "head", "score")
    )
    # The selected token of the encoder; ``token`` is one of the decoder.
    source = field.number("", UNSAID, (UNSAID, 9_999))


def parameters() -> Parameters:
    """The fields for the model of this rerun.

    The URL names it on entering the page and after a step through the browser's history, otherwise
    the widget does. Without both, it is the left model of the other pages.
    """
    state = st.session_state
    entering = address.is_entering()
    if entering and not is_translator(state.get("pictured", "")):
        state["pictured"] = state.get("left", Reader.left.default)
    named = st.query_params.get("left")
    model = named if named and (entering or address.stepped()) else Reader.left.value
    if not is_translator(model):
        return Reader.fields
    return {**Translator.fields, "text": replace(Translator.text, default=default_text(model))}


def is_translator(name: str) -> bool:
    """Whether the catalogue has an encoder-decoder of this name."""
    return task_of(name) is not None


def current_view(known: Parameters) -> dict[str, object]:
    """The fields of the page's view, by the names of its parameters."""
    return {name: field.value for name, field in known.items()}


def view_link(known: Parameters, current: Mapping[str, object], **changes: Any) -> str:
    """The URL of the page's view with some fields changed, from the root of the site."""
    view = {}
    for name, parameter in known.items():
        value = changes.get(name, current[name])
        if parameter.always or value != parameter.default:
            view[name] = PLACEHOLDERS.get(name) or parameter.write(value)
    return page_link("/model", **view)


def page_link(path: str, **view: object) -> str:
    """The URL of a view of another page, from the root of the site."""
    given = {name: str(value) for name, value in view.items() if value is not None}
    return f"{path}?{urlencode(address.link(given))}"
