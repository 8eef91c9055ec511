"""Lessons that a teacher adds to a room: a file, or a list of prepared questions."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple
from urllib.parse import parse_qsl, urlencode, urlsplit

import numpy as np

from model import HeadlightError
from pages.lessons.checking import lesson_problems
from pages.lessons.course import parse_toml, validate_lesson
from viz import distinct
from web.language import _, in_words
from web.rooms.api.question_builder import build_question
from web.view_state.address import OF_THE_VISIT

MOST_STEPS = 20
"""Of a lesson."""

MOST_PROBLEMS = 10
"""Problems that a teacher reads at once."""


class AddedLesson(NamedTuple):
    """A lesson that was checked.

    Attributes:
        title: Its title.
        content: Its tables, as JSON values.
    """

    title: str
    content: dict[str, Any]


def lesson_of_file(text: str) -> AddedLesson:
    """Read and check the file of a lesson.

    Args:
        text: TOML, as in a file of ``lessons/``.

    Raises:
        HeadlightError: If the text is not a lesson, or its links, numbers, claims or answers are
            wrong. The message has a line for each problem.
    """
    raw = parse_toml(text, "The file")
    lesson = validate_lesson(raw, "The file")
    _raise_problems(list(lesson_problems(lesson)))
    return AddedLesson(lesson.title, raw)


def lesson_of_questions(title: str, questions: Sequence[Any]) -> AddedLesson:
    """Make a lesson of prepared questions; each is a step.

    The right answers are the numbers of the model, which are computed now.

    Args:
        title: Of the lesson.
        questions: As :func:`web.rooms.api.question_builder.build_question` takes them.

    Raises:
        HeadlightError: If a question cannot be a step. The message has a line for each of them.
    """
    if not 1 <= len(questions) <= MOST_STEPS:
        raise HeadlightError(
            "A lesson has 1 to {most} steps, and the list has {count} questions.",
            most=MOST_STEPS,
            count=len(questions),
        )
    steps, problems = [], []
    for number, question in enumerate(questions, start=1):
        try:
            steps.append(_step(question))
        except HeadlightError as error:
            wrong = _("Question {number}: {wrong}")
            problems.append(wrong.format(number=number, wrong=in_words(error)))
    _raise_problems(problems)
    raw = {"title": title, "minutes": 2 * len(steps), "learn": title, "steps": steps}
    validate_lesson(raw, "The list")
    return AddedLesson(title, raw)


def _raise_problems(problems: Sequence[str]) -> None:
    if problems:
        lines = "\n".join(problems[:MOST_PROBLEMS])
        raise HeadlightError("The lesson was not added.\n{lines}", lines=lines)


def _step(question: Any) -> dict[str, Any]:
    if not isinstance(question, Mapping):
        raise HeadlightError("This is not a question.")
    items, truth = build_question(question)
    prompt, kind = str(question["prompt"]).strip(), str(question["kind"])
    return {
        "view": _view(str(question.get("view") or "/")),
        "guess": kind in ("token", "head", "layer", "next"),  # the page shows the answer
        "question": {"ask": prompt, **_asked(kind, items, truth)},
    }


def _view(view: str) -> str:
    """Return a link without what belongs to the teacher's visit, such as another lesson."""
    parts = urlsplit(view)
    query = [each for each in parse_qsl(parts.query) if each[0] not in OF_THE_VISIT]
    return f"{parts.path}?{urlencode(query)}"


def _asked(kind: str, items: dict[str, Any], truth: dict[str, Any]) -> dict[str, Any]:
    """Return the question of a step from the items and the truth of a room's question."""
    if kind == "number":
        value = {"what": "constant", "number": truth["value"]}
        return {"kind": "number", "value": value, "within": truth["tolerance"]}
    if not truth.get("right"):
        raise HeadlightError(
            "It has no right answer, so it cannot be a step. Ask it from the list."
        )
    right, weights = truth["right"], truth.get("weights", [])
    if kind == "head":
        heads = range(items["heads"])
        options = [f"{layer}.{head}" for layer in range(items["layers"]) for head in heads]
        right = [layer * items["heads"] + head for layer, head in right]
        weights = np.ravel(weights).tolist()  # (L, H) -> (L*H,)
    elif kind == "layer":
        options = [f"L{layer}" for layer in range(items["layers"])]
    else:
        options = items["tokens"] if kind == "token" else items["options"]
    return {
        "kind": "prepared",
        "options": distinct(options),
        "right": right,
        "weights": weights,
        "heads": kind == "head",
    }
