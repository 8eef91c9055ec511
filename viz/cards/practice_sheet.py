"""Printable set of exercises: A4, black on white, with the answers on pages of their own."""

import json
from collections.abc import Callable, Mapping, Sequence
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
        name: Its name in the calculation.
        cells: Their text; blank where the reader writes.
        title: Text after its symbol.
    """

    name: str
    cells: Sequence[Sequence[str]]
    title: str = ""


@dataclass(frozen=True)
class PrintedExercise:
    """One exercise on paper.

    Attributes:
        title: Its name.
        story: A sentence about its content.
        task: What to do.
        given: The matrices to start from.
        blanks: The grids to fill in.
        choices: Possible answers; the reader ticks one.
        answers: The right answers, for the answer pages.
        explanation: The right answer in words.
    """

    title: str
    story: str
    task: str
    given: Sequence[Table]
    blanks: Sequence[Table] = ()
    choices: Sequence[str] = ()
    answers: Sequence[Table] = ()
    explanation: str = ""


def practice_sheet(
    exercises: Sequence[PrintedExercise],
    *,
    title: str,
    subtitle: str,
    answers: bool,
    about: Mapping[str, Any] = {},
    translate: Callable[[str], str] = str,
) -> str:
    """Write a standalone HTML page that needs no network.

    Args:
        exercises: The exercises, in order.
        title: The heading.
        subtitle: Identifies the set.
        answers: Whether to add pages with the answers.
        about: JSON values for the file's metadata; a citation and a link are also printed.
        translate: From English to the reader's language.
    """
    return TEMPLATES.get_template("practice_sheet.html").render(
        about=about,
        description=json.dumps(about),
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
                "explanation": each.explanation,
                "tables": [_table(table) for table in each.answers],
            }
            for each in exercises
        ]
        if answers
        else [],
    )


def _table(table: Table) -> dict[str, Any]:
    return {
        "symbol": Markup(mathml(SYMBOLS.get(table.name, table.name))),  # noqa: S704 - not user text
        "title": table.title,
        "cells": table.cells,
        "narrow": table.name == "allowed",
    }
