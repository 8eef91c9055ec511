"""Examples of a part of a page: values of fields that all pages share, until the part is left."""

from collections.abc import Mapping
from typing import Any

import streamlit as st

_KEY = "examples"


def show(values: Mapping[str, Any]) -> None:
    """Set fields of the session state; :func:`put_back` gives them back."""
    state = st.session_state
    before = {name: state[name] for name in values}
    state.setdefault(_KEY, []).append((dict(values), before))
    state.update(values)


def is_shown(name: str) -> bool:
    """Return whether a field has the value of an example."""
    shown = [values[name] for values, _before in st.session_state.get(_KEY, []) if name in values]
    return bool(shown) and st.session_state.get(name) == shown[-1]


def put_back() -> bool:
    """Give back the fields of examples that the visitor has not changed; return if one changed."""
    state, changed = st.session_state, False
    for values, before in reversed(state.pop(_KEY, [])):
        if values != before and all(state.get(name) == value for name, value in values.items()):
            state.update(before)
            changed = True
    return changed
