"""Slider through the checkpoints of a model's training, behind a button that opens it."""

from collections.abc import Callable, Sequence
from typing import Any

import streamlit as st

from viz import Side
from viz.style.theme import rgb
from web import components
from web.language import _


def toggle_button(name: str, opens_by_default: Callable[[], bool | None]) -> None:
    """Draw the button that opens and closes the slider: the session key is ``{name}_open``."""
    opened = is_open(name, opens_by_default)
    st.button(
        _("Hide the training") if opened else _("Watch it learn"),
        icon=":material/expand_less:" if opened else ":material/expand_more:",
        key=f"fold_{name}",
        type="tertiary",
        on_click=st.session_state.update,
        args=({f"{name}_open": not opened},),
    )


def is_open(name: str, opens_by_default: Callable[[], bool | None]) -> bool:
    """Whether the slider is open; the default is read once, so a new model does not change it."""
    key = f"{name}_open"
    if st.session_state[key] is None:
        st.session_state[key] = bool(opens_by_default())
    return bool(st.session_state[key])


def checkpoint_slider(
    *,
    key: str,
    side: Side,
    steps: Sequence[int],
    current: int,
    curves: list[dict[str, Any]],
    description: str,
    corpus: str,
    on_stop: Callable[[], None],
) -> None:
    """Draw the slider with its curves, as the component ``player`` takes them.

    ``on_stop`` is called when another checkpoint is chosen; see :func:`chosen_checkpoint`.
    """
    components.player(
        {
            "hue": rgb(side),
            "current": current,
            "stops": [f"{step:,}" for step in steps],
            "spoken": [_("step {step}").format(step=f"{step:,}") for step in steps],
            "curves": curves,
            "strings": {
                "slider": _("Training step"),
                "play": _("Play the training"),
                "pause": _("Pause"),
                "description": description,
                "of": corpus,
            },
        },
        key=key,
        on_stop=on_stop,
    )


def chosen_checkpoint(key: str, names: Sequence[str]) -> str | None:
    """Return the selected checkpoint of ``names``; None if the browser sent no valid index."""
    index = st.session_state[key].stop["index"]
    return names[index] if isinstance(index, int) and 0 <= index < len(names) else None
