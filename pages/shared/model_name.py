"""What a model is called on screen: of a local folder the name, not the path."""

import os
from pathlib import PurePath

import streamlit as st

from model import list_models
from model.catalogue.names import is_listed

_CHOSEN = ("left", "right", "left_kept", "right_kept")
"""Under which the session keeps what its pickers say, and what is shown in its place."""


def model_name(model: str) -> str:
    """A model's name for titles, columns and bars; its path stays in pickers, links and code.

    Args:
        model: As the catalogue calls it. Of a folder as much of the path's end is kept as tells
            it from the other side's model and from those of the catalogue.
    """
    if is_listed(model) or not os.path.isabs(model):
        return model
    chosen = (st.session_state.get(key) for key in _CHOSEN)
    others = {*filter(None, chosen), *(info.name for info in list_models())} - {model}
    parts = PurePath(model).parts
    for count in range(1, len(parts)):
        end = parts[-count:]
        if all(PurePath(other).parts[-count:] != end for other in others):
            return "/".join(end)
    return model
