"""URL parameters of the Model page: a model, its text, and how far the picture is zoomed in."""

from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import urlencode

import streamlit as st

from model.catalogue.names import canonical_name, is_listed
from web.translators import default_text, task_of
from web.view_state import address
from web.view_state.address import Parameter, Parameters
from web.view_state.parameters import VIEW, one_of, read_name, read_text, whole_between, write_text

ZOOMS = ("whole", "layer", "head", "score")
"""The whole model, one layer, one head, one score of a query and a key."""

STACKS = ("encoder", "decoder", "cross")
PLACEHOLDERS = {"text": "~text~", "pair": "~pair~"}
"""Texts in the links of the picture: a long text is sent once, not in hundreds of links."""

UNSAID = -1
"""Value of a token for which the page chooses a default."""


def _read_model(text: str) -> str:
    name = read_name(text)
    return canonical_name(name) if is_listed(name) else name


def _translates() -> bool:
    return is_translator(st.session_state["pictured"])


def _zoomed(*zooms: str) -> Callable[[], bool]:
    return lambda: st.session_state["zoom"] in zooms


_token = whole_between(UNSAID, 9_999)

READER: dict[str, Parameter] = {
    "left": Parameter("scratch", _read_model, always=True, key="pictured"),
    "zoom": Parameter("whole", one_of(*ZOOMS)),
    **{name: VIEW[name] for name in ("text", "pair", "layer", "head")},
    "token": Parameter(UNSAID, _token, key="pictured_token"),
    "key": Parameter(UNSAID, _token, relevant=_zoomed("score"), key="pictured_key"),
}
"""Parameters for an encoder or a decoder. ``zoom`` decides which are relevant."""


def _translator(model: str) -> dict[str, Parameter]:
    """Parameters for an encoder-decoder, with a text of its own."""
    reader = {name: each for name, each in READER.items() if name != "pair"}
    text = Parameter(default_text(model), read_text, write_text, always=True, key="pictured_text")
    inside = _zoomed("layer", "head", "score")
    return {
        **reader,
        "text": text,
        "stack": Parameter("cross", one_of(*STACKS), relevant=inside, key="pictured_stack"),
        # The selected token of the encoder; ``token`` is one of the decoder.
        "source": Parameter(UNSAID, _token, key="pictured_source"),
    }


def parameters() -> Parameters:
    """The parameters for the model of this rerun.

    The URL names it on entering the page and after a step through the browser's history, otherwise
    the widget does. Without both, it is the left model of the other pages.
    """
    state = st.session_state
    entering = address.is_entering()
    if entering and not is_translator(state.get("pictured", "")):
        state["pictured"] = state.get("left", READER["left"].default)
    named = st.query_params.get("left")
    model = named if named and (entering or address.stepped()) else state["pictured"]
    return _translator(model) if is_translator(model) else READER


def is_translator(name: str) -> bool:
    """Whether the catalogue has an encoder-decoder of this name."""
    return task_of(name) is not None


def current_view(known: Parameters) -> dict[str, object]:
    """The fields of the page's view, by the names of its parameters."""
    return {name: st.session_state[each.key or name] for name, each in known.items()}


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
