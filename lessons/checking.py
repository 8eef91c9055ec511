"""Checks of a lesson by what it computes; a command prints the problems, in English."""

from collections.abc import Iterator

from lessons.claims import false_claims
from lessons.schema import Lesson, LessonStep
from model import HeadlightError
from web.language import in_words
from web.view_state.address import ParametersOf


def lesson_problems(lesson: Lesson, parameters_of: ParametersOf) -> Iterator[str]:
    """Yield the problems of a lesson, each with the number of its step."""
    for number, step in enumerate(lesson.steps, start=1):
        for wrong in _step_problems(step, parameters_of):
            yield f"Step {number}: {wrong}"


def _step_problems(step: LessonStep, parameters_of: ParametersOf) -> Iterator[str]:
    yield from _link_problems(step, parameters_of)
    question = step.question
    try:
        for text in (step.say, step.do, question.why):
            step.fill_numbers(text)
        for claim in false_claims(step.claims, step.numbers):
            yield f"The numbers contradict the claim {claim}."
        right = question.solution()
        if question.judge(right, 0).outcome != "right":
            yield f"The right answer “{right}” counts as wrong."
        for option in question.offered:
            if option != right and question.judge(option, 0).outcome == "right":
                yield f"Both “{right}” and “{option}” count as right."
    except HeadlightError as error:
        yield in_words(error)


def _link_problems(step: LessonStep, parameters_of: ParametersOf) -> Iterator[str]:
    """Yield the parts of a step's link that its page would reject."""
    query, page = step.query, step.path or "explore"
    known = parameters_of(f"/{step.path}", query.get("part", ""))
    if known is None:
        yield f"There is no page {page}."
        return
    for name, text in query.items():
        try:
            known[name].parse(text)
        except (KeyError, ValueError):
            yield f"The page {page} does not know {name}={text} in the link."
            return
