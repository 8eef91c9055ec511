"""Edits in a component: numbered by the browser, acknowledged here; see common/outbox.js."""

from typing import Any

import streamlit as st


def acknowledged(key: str) -> int:
    """The number of the last edit that the session has received from a component."""
    return int(st.session_state.get(_acknowledged(key), 0))


def received(key: str) -> dict[str, Any]:
    """The edited fields in the current message, acknowledged; empty without an edit."""
    edited = st.session_state[key].edited
    if edited is None:
        return {}
    st.session_state[_acknowledged(key)] = int(edited["number"])
    return dict(edited["fields"])


def _acknowledged(key: str) -> str:
    return f"{key}_acknowledged"
