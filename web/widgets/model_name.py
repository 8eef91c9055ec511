"""Display names of models; a local folder shows its name, not its path."""

import os
from pathlib import PurePath

import streamlit as st

from model import list_models
from model.catalogue.names import is_listed

_CHOSEN = ("left", "right", "left_kept", "right_kept")
"""Session keys of the model pickers, and of the models shown instead after an error."""


def model_name(model: str) -> str:
    """Return a model's name for titles, columns and bars; pickers, links and code show its path.

    Args:
        model: Its catalogue name, hub id or path. A path is shortened to as many last parts as
            distinguish it from the other side's model and from the catalogue.
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
