"""A choice of one among a few, as buttons side by side."""

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
    """Draw the buttons; one of them is always chosen, and stays so from page to page.

    Args:
        label: What is chosen, to be read aloud where it is hidden.
        options: What the options are called, by their ids; or ids that speak for themselves.
        key: Of the session, which holds the id that is chosen.
        label_hidden: Whether the buttons stand without their label.
        on_change: Called before the page runs again.
        help: Said where the pointer rests on the label's mark.

    Returns:
        The id that is chosen.
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
