"""Display names of models; a folder or a file shows its name, not its path."""

import os
from pathlib import PurePath

import streamlit as st

from model import list_models
from model.catalogue.names import is_listed
from web.cache import uploaded_captures


def model_name(model: str) -> str:
    """Return a model's name for titles, columns and bars; links and code show its path.

    A path is shortened to as many last parts as distinguish it from the other side's model and from
    the catalogue.
    """
    if uploaded_captures.is_file(model):
        return uploaded_captures.file_name(model)
    if is_listed(model) or not os.path.isabs(model):
        return model
    # The models of the pickers, and those shown instead after an error.
    chosen = map(st.session_state.get, ("left", "right", "left_kept", "right_kept"))
    others = {*filter(None, chosen), *(info.name for info in list_models())} - {model}
    parts = PurePath(model).parts
    for count in range(1, len(parts)):
        end = parts[-count:]
        if all(PurePath(other).parts[-count:] != end for other in others):
            return "/".join(end)
    return model


def picker_name(model: str) -> str:
    """Return a model's name for a picker, which cuts names at their end: last parts first."""
    if uploaded_captures.is_file(model):
        return "{2} ({0}:{1})".format(*model.split(":", 2))
    parts = PurePath(model).parts
    if not os.path.isabs(model) or len(parts) < 4:
        return model
    return f"{'/'.join(parts[-2:])} ({PurePath(*parts[:-2])})"


def picked_model(name: str) -> str:
    """Return the model of a :func:`picker_name` or of what a picker shows.

    Browsers send it after the list has changed, or with a step that was typed behind it.
    """
    listed, _dot, rest = name.partition(" · ")
    if rest and is_listed(listed):
        return listed + "".join(rest.partition("@")[1:])
    file, _bracket, digest = name.removesuffix(")").rpartition(" (file:")
    if picker_name(f"file:{digest}:{file}") == name:
        return f"file:{digest}:{file}"
    end, _bracket, start = name.removesuffix(")").partition(" (/")
    path = os.path.join(f"/{start}", end)
    return path if picker_name(path) == name else name
