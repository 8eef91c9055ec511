"""Segmented control for one of a few options."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import streamlit as st


def choose(
    label: str,
    options: Mapping[Any, str] | Iterable[Any],
    key: str,
    *,
    label_hidden: bool = False,
    on_change: Callable[[], None] | None = None,
    help: str | None = None,
) -> Any:
    """Draw the control; one option is always selected, also after a change of pages.

    Args:
        label: The label; screen readers read it even if it is hidden.
        options: The options; a mapping has their names. The browser reports a name, so the name of
            an option must not change while the control is on the page.
    """
    names = options if isinstance(options, Mapping) else {}
    st.segmented_control(
        label,
        list(options),
        format_func=lambda option: names.get(option, str(option)),
        key=key,
        required=True,
        on_change=on_change,
        persist_state="session",
        label_visibility="collapsed" if label_hidden else "visible",
        help=help,
    )
    return st.session_state[key]
