"""The story of the chosen example, and a note if its numbers have changed.

The link contains the example's name. A comparison of the numbers shows whether they changed.
"""

import streamlit as st

from model.calculator import PRESETS, Example, Settings
from pages.calculator.url import MATRICES, Calculator, settings
from web.language import _, in_words


def draw_story() -> None:
    """Draw the story of the example, with a note if something has changed."""
    name = Calculator.story.value
    if name not in PRESETS:
        return
    example = PRESETS[name]
    # The notes are short: the text must not grow while a person types.
    template = _("**{title}.** {story}")
    if not has_numbers_of(example):
        template = _(":material/edit: **Numbers changed.** ~~{story}~~")
    elif _changed_settings(example.settings):
        template = _(":material/edit: **Settings changed.** {story}")
    st.caption(template.format(title=in_words(example.title), story=in_words(example.story)))


def _changed_settings(own: Settings) -> bool:
    """Whether scaling or mask differ from the example's."""
    now = settings()
    return (now.scaled, now.temperature, now.mask) != (own.scaled, own.temperature, own.mask)


def has_numbers_of(example: Example) -> bool:
    """Whether the grids hold the example's numbers, names and heads."""
    state = st.session_state
    form = "x" if "X" in example.cells else "qkv"
    names = (list(example.queries), list(example.keys))
    return (
        (Calculator.form.value, Calculator.tokens.value, Calculator.sources.value) == (form, *names)
        and (form == "qkv" or Calculator.heads.value == example.n_heads)
        and all(
            [tuple(cell.strip() for cell in row) for row in state[parameter]]
            == list(example.cells[matrix])
            for parameter, matrix in MATRICES.items()
            if matrix in example.cells
        )
    )
