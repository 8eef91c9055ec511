"""Slider through the checkpoints of a model's training, behind a button that opens it."""

from collections.abc import Callable, Sequence
from typing import Any

import streamlit as st

from viz import Side
from viz.style.theme import rgb
from web import components
from web.language import _, plain
from web.view_state.field import Field


def toggle_button(
    name: str, model: str, opened: Field[bool], on_open: Callable[[], None] = lambda: None
) -> None:
    """Draw the button that opens and closes the slider of a model."""
    closed = _("Watch {model} learn").format(model=plain(model))

    def toggle() -> None:
        opened.value = not opened.value
        if opened.value:
            on_open()

    st.button(
        _("Hide the training") if opened.value else closed,
        icon=":material/expand_less:" if opened.value else ":material/expand_more:",
        key=f"fold_{name}",
        type="tertiary",
        on_click=toggle,
    )


def curve(label: str, values: Sequence[float], line: str, digits: int) -> dict[str, Any]:
    """Return a curve of shares over the steps; a dotted one is not about the selected head."""
    colour = "currentColor" if line == "dotted" else "var(--hue)"
    dash = {"solid": "", "dashed": "6 4", "dotted": "2 3"}[line]
    look = {"colour": colour, "digits": digits, "line": line, "dash": dash}
    return {"label": label, "values": values, **look}


def checkpoint_slider(
    *,
    key: str,
    hue: Side,
    steps: Sequence[int],
    current: int,
    curves: list[dict[str, Any]],
    description: str,
    on_stop: Callable[[], None],
    plays: bool = False,
) -> None:
    """Draw the slider with its curves, as the component ``player`` takes them.

    ``on_stop`` is called when another checkpoint is chosen; see :func:`chosen_checkpoint`. A slider
    that ``plays`` begins to when it appears.
    """
    components.player(
        {
            "hue": rgb(hue),
            "current": current,
            "plays": plays,
            "stops": [f"{step:,}" for step in steps],
            "spoken": [_("step {step}").format(step=f"{step:,}") for step in steps],
            "curves": curves,
            "strings": {
                "slider": _("Training step"),
                "play": _("Play the training"),
                "pause": _("Pause"),
                "description": description,
                "of": _("Measured on held-out texts, not on this text:"),
            },
        },
        key=key,
        on_stop=on_stop,
    )


def chosen_checkpoint(key: str, names: Sequence[str]) -> str | None:
    """Return the selected checkpoint of ``names``; None if the browser sent no valid index."""
    index = st.session_state[key].stop["index"]
    return names[index] if isinstance(index, int) and 0 <= index < len(names) else None
