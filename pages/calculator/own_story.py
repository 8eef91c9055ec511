"""What there is to see in an example, for as long as its numbers stand; and that they have changed.

Which example was taken is in the link; whether it still is what it was follows from the numbers.
"""

import streamlit as st

from model.calculator import PRESETS, Example, Settings
from pages.calculator.address import MATRICES, settings
from pages.shared.language import _, in_words


def draw_story() -> None:
    """Say what to see in the example that was taken, or that something of it is another now."""
    name = st.session_state["story"]
    if name not in PRESETS:
        return
    example = PRESETS[name]
    # None of the three is longer than the first: nothing below moves while somebody types.
    said = _("**{title}.** {story}")
    if not _same_numbers(example):
        said = _(":material/edit: **Changed since.** ~~{story}~~")
    elif _changed_settings(example.settings):
        said = _(":material/edit: **Settings changed.** {story}")
    said = said.format(title=in_words(example.title), story=in_words(example.story))
    st.caption(said)


def _changed_settings(own: Settings) -> bool:
    """Whether the scores are divided or masked otherwise than in the example."""
    now = settings()
    return (now.scaled, now.temperature, now.mask) != (own.scaled, own.temperature, own.mask)


def _same_numbers(example: Example) -> bool:
    """Whether the grids hold the example's own numbers, with its names and heads."""
    state = st.session_state
    form = "x" if "X" in example.cells else "qkv"
    names = (list(example.queries), list(example.keys))
    return (
        (state["form"], state["tokens"], state["sources"]) == (form, *names)
        and (form == "qkv" or state["heads"] == example.n_heads)
        and all(
            [tuple(cell.strip() for cell in row) for row in state[parameter]]
            == list(example.cells[matrix])
            for parameter, matrix in MATRICES.items()
            if matrix in example.cells
        )
    )
