"""A set of exercises as pages to print: A4, black on white, the answers on pages of their own."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup

from viz.cards.matrices import SYMBOLS
from viz.cards.worksheet import TEMPLATES
from viz.style.formula import mathml


@dataclass(frozen=True)
class Table:
    """A matrix on paper.

    Attributes:
        name: Which one, as the steps name it.
        cells: As they are written; blank where something is to be filled in.
        title: Written above it, beside its symbol.
    """

    name: str
    cells: Sequence[Sequence[str]]
    title: str = ""


@dataclass(frozen=True)
class Printed:
    """One exercise on paper.

    Attributes:
        title: Its name.
        story: What there is to see in it.
        task: What is to be done.
        given: What to start from.
        blanks: What is to be filled in.
        choices: One of which is to be ticked.
        answers: What should stand in the blanks; none if they are not to be printed.
        said: The answer in words.
    """

    title: str
    story: str
    task: str
    given: Sequence[Table]
    blanks: Sequence[Table] = ()
    choices: Sequence[str] = ()
    answers: Sequence[Table] = ()
    said: str = ""


def practice_sheet(
    exercises: Sequence[Printed],
    *,
    title: str,
    subtitle: str,
    answers: bool,
    translate: Callable[[str], str] = str,
) -> str:
    """Write a standalone HTML page that needs no network.

    Args:
        exercises: In their order.
        title: Its heading.
        subtitle: Which set it is.
        answers: Whether pages with the answers follow.
        translate: From English to the reader's language.
    """
    return TEMPLATES.get_template("practice_sheet.html").render(
        title=title,
        subtitle=subtitle,
        name_line=translate("Name"),
        answers_title=translate("Answers"),
        two=all(table.name == "allowed" for each in exercises for table in each.answers),
        exercises=[
            {
                "title": each.title,
                "story": each.story,
                "task": each.task,
                "given": [_table(table) for table in each.given],
                "blanks": [_table(table) for table in each.blanks],
                "choices": each.choices,
            }
            for each in exercises
        ],
        answers=[
            {
                "title": each.title,
                "said": each.said,
                "tables": [_table(table) for table in each.answers],
            }
            for each in exercises
        ]
        if answers
        else [],
    )


def _table(table: Table) -> dict[str, Any]:
    return {
        "symbol": Markup(mathml(SYMBOLS.get(table.name, table.name))),  # noqa: S704 - ours
        "title": table.title,
        "cells": table.cells,
        "narrow": table.name == "allowed",
    }
