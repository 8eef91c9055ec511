"""What a calculation leaves in a reader's hands: worksheets, Python, a link."""

from dataclasses import dataclass
from functools import partial
from typing import Protocol

import streamlit as st

from model import HeadlightError
from model.calculator import Settings
from pages.calculator.address import settings
from pages.calculator.work import Worked
from pages.shared.hand_out import copy_link
from pages.shared.language import _, in_words
from pages.shared.source import show_source
from viz.cards.matrices import Names
from viz.cards.worksheet import worksheet


class Task(Protocol):
    """What is to be calculated: typed numbers, or a real head; small, since buttons keep it."""

    def names(self) -> Names:
        """Names of tokens and heads."""

    def show(self, wanted: Settings) -> Worked:
        """Work it out."""

    def script(self, wanted: Settings) -> str:
        """The Python that does."""

    def title(self) -> str:
        """Of the worksheet."""

    def subtitle(self) -> str:
        """What is calculated."""


@dataclass
class Latest:
    """What the steps show now. They change without the buttons below being drawn anew."""

    task: Task
    settings: Settings
    decimals: int


def remember(task: Task) -> None:
    """Note what is on screen, for the buttons that take it away."""
    latest = Latest(task, settings(), st.session_state["decimals"])
    vars(st.session_state.setdefault("latest", latest)).update(vars(latest))


def take_away(stem: str) -> None:
    """Draw the buttons for the worksheet, with answers and without, for the Python, for the link.

    Args:
        stem: Of the files' names.
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
                icon=":material/print:",
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


def show_working(form: str) -> None:
    """Draw what opens to the functions at work; inside the fragment, since a mistake changes them.

    Args:
        form: What the calculation starts from, "qkv" or "x".
    """
    mistake = st.session_state["mistake"]
    show_source("calculation", ["head", form if mistake == "none" else mistake])


def _worksheet(latest: Latest, answers: bool) -> str:
    worked = latest.task.show(latest.settings)
    said = "" if worked.said is None else in_words(worked.said)
    return worksheet(
        worked.steps,
        title=latest.task.title(),
        subtitle=f"{latest.task.subtitle()} {said}".strip(),
        decimals=latest.decimals,
        answers=answers,
        translate=_,
    )


def _script(latest: Latest) -> str:
    try:
        return latest.task.script(latest.settings)
    except HeadlightError as error:
        return f"# {in_words(error)}\n"
