"""Export buttons of a calculation: worksheets, Python, a link."""

from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol

import streamlit as st

from model import AttentionCapture, HeadlightError
from model.calculator import Settings
from pages.calculator.calculate import Calculated
from pages.calculator.url import settings
from viz.cards.matrices import Names
from viz.cards.worksheet import worksheet
from web.language import _, in_words
from web.widgets.export import comment, figure_facts
from web.widgets.share_link import copy_link, permalink
from web.widgets.source import show_source


class PageCalculation(Protocol):
    """A calculation that a page can export. Buttons store it, so it holds little memory."""

    def names(self) -> Names:
        """The names of tokens and heads."""

    def show(self, wanted: Settings, decimals: int) -> Calculated:
        """Compute the cards, with that many decimals in the formulas."""

    def script(self, wanted: Settings) -> str:
        """Python code that computes the same."""

    def captures(self) -> list[AttentionCapture]:
        """The captures with its numbers; none for typed numbers."""

    def title(self) -> str:
        """The title of the worksheet."""

    def subtitle(self) -> str:
        """A description of the input."""


@dataclass
class Latest:
    """What the steps show. It changes without a rerun of the buttons below the steps."""

    calculation: PageCalculation
    settings: Settings
    decimals: int
    link: str


def remember(calculation: PageCalculation) -> None:
    """Store what is on screen, for the export buttons."""
    latest = Latest(calculation, settings(), st.session_state["decimals"], permalink())
    vars(st.session_state.setdefault("latest", latest)).update(vars(latest))


def export_buttons(stem: str) -> None:
    """Draw the buttons for the worksheets, the Python code and the link.

    Args:
        stem: Start of the file names.
    """
    latest = st.session_state["latest"]
    with st.container(horizontal=True, vertical_alignment="center"):
        for name, label, answers in (
            ("worksheet", _("Worksheet to fill in"), False),
            ("solution", _("Worksheet with answers"), True),
        ):
            st.download_button(
                label,
                data=partial(_worksheet, latest, answers),
                file_name=f"{stem}_{name}.html",
                mime="text/html",
                key=name,
                on_click="ignore",
                icon=":material/download:",
            )
        st.download_button(
            _("Python"),
            data=partial(_script, latest),
            file_name=f"{stem}.py",
            mime="text/x-python",
            key="python",
            on_click="ignore",
            icon=":material/code:",
        )
        copy_link()


def show_functions(form: str) -> None:
    """Draw the source of the functions behind the steps; they depend on the chosen mistake.

    Args:
        form: The form of the input, "qkv" or "x".
    """
    mistake = st.session_state["mistake"]
    show_source("calculation", ["head", form if mistake == "none" else mistake])


def _worksheet(latest: Latest, answers: bool) -> str:
    calculated = latest.calculation.show(latest.settings, latest.decimals)
    error = "" if calculated.error is None else in_words(calculated.error)
    return worksheet(
        calculated.steps,
        title=latest.calculation.title(),
        subtitle=f"{latest.calculation.subtitle()} {error}".strip(),
        decimals=latest.decimals,
        answers=answers,
        about=_facts(latest),
        translate=_,
    )


def _facts(latest: Latest) -> dict[str, Any]:
    return figure_facts("", latest.calculation.captures(), latest.link)


def _script(latest: Latest) -> str:
    try:
        return f"{comment(_facts(latest))}\n{latest.calculation.script(latest.settings)}"
    except HeadlightError as error:
        return f"# {in_words(error)}\n"
