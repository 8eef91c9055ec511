"""Lessons that a teacher adds to a room: a file, or a list of prepared questions."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple
from urllib.parse import parse_qsl, urlencode

import numpy as np

from model import HeadlightError
from pages.lessons.checking import lesson_problems
from pages.lessons.course import parse_toml, validate_lesson
from pages.lessons.schema import MOST_STEPS, Lesson
from viz import distinct
from web.language import _, in_words
from web.rooms.api.question_builder import build_question
from web.rooms.api.request_fields import parse_view
from web.rooms.store.errors import RoomError
from web.view_state.address import OF_THE_VISIT

MOST_VIEWS = 40_000
"""Characters of the links of a lesson, which every device of a class receives."""

LONGEST_PROMPT = 500
"""Characters of a question, as in ``schema.py``."""

LONGEST_ANSWER = 80
"""Characters of an answer, as in ``web/rooms/store``."""

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
    _raise_problems([*_size_problems(lesson), *lesson_problems(lesson)])
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
    lesson = validate_lesson(raw, "The list")
    _raise_problems([*_size_problems(lesson), *lesson_problems(lesson)])
    return AddedLesson(title, raw)


def _size_problems(lesson: Lesson) -> Iterator[str]:
    """Yield a problem if every device of a class would receive very long links."""
    total = sum(len(step.view) for step in lesson.steps)
    if total > MOST_VIEWS:
        long = _("The links of the steps have {count:,} characters in all, and at most {most:,}.")
        yield long.format(count=total, most=MOST_VIEWS)


def _raise_problems(problems: Sequence[str]) -> None:
    if problems:
        lines = list(problems[:MOST_PROBLEMS])
        if more := len(problems) - len(lines):
            lines.append(_("… and {count} more.").format(count=more))
        text = "\n".join(lines)
        raise HeadlightError("The lesson was not added.\n{problems}", problems=text)


def _step(question: Any) -> dict[str, Any]:
    if not isinstance(question, Mapping):
        raise HeadlightError("This is not a question.")
    view = _view(question.get("view") or "/")
    items, truth = build_question(question)
    prompt, kind = str(question["prompt"]).strip(), str(question["kind"])
    if len(prompt) > LONGEST_PROMPT:
        raise HeadlightError(
            "The question has more than {most} characters. Shorten it.", most=LONGEST_PROMPT
        )
    return {
        "view": view,
        "guess": kind in ("token", "head", "next"),  # the page shows the answer
        "question": {"ask": prompt, **_asked(kind, items, truth)},
    }


def _view(view: Any) -> str:
    """Return a link without what belongs to the teacher's visit, such as another lesson.

    Raises:
        HeadlightError: If it is not a link to a page of this site.
    """
    try:
        path, _mark, query = parse_view(view).partition("?")
    except RoomError as error:
        raise HeadlightError("The link of its view is not one of this site.") from error
    fields = parse_qsl(query, keep_blank_values=True)
    return f"{path}?{urlencode([each for each in fields if each[0] not in OF_THE_VISIT])}"


def _asked(kind: str, items: dict[str, Any], truth: dict[str, Any]) -> dict[str, Any]:
    """Return the question of a step from the items and the truth of a room's question."""
    if kind == "number":
        value = {"what": "constant", "number": truth["value"]}
        # The tolerance of a count is only that of floating-point numbers.
        within = truth["tolerance"] if truth["tolerance"] > 1e-6 else 0
        return {"kind": "number", "value": value, "within": within}
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
    else:
        options = items["tokens"] if kind == "token" else items["options"]
    options = distinct(options)
    if max(map(len, options)) > LONGEST_ANSWER:
        raise HeadlightError(
            "An option has more than {most} characters, so it cannot be an answer. Shorten it.",
            most=LONGEST_ANSWER,
        )
    return {
        "kind": "prepared",
        "options": options,
        "right": right,
        "weights": weights,
        "heads": kind == "head",
    }
