"""Checks of a lesson by what it computes: its links, numbers, claims and answers."""

from collections.abc import Iterator

from model import HeadlightError
from model.calculator import PRESETS
from pages.lessons.questions import ChoiceQuestion
from pages.lessons.schema import Lesson, Step
from web.view_state.page_registry import parameters_of


def lesson_problems(lesson: Lesson) -> Iterator[str]:
    """Yield the problems of a lesson, each with the number of its step."""
    for number, step in enumerate(lesson.steps, start=1):
        yield from (f"Step {number}: {wrong}" for wrong in _step_problems(step))


def _step_problems(step: Step) -> Iterator[str]:
    yield from _link_problems(step)
    try:
        for text in (step.say, step.do, step.question.why):
            step.fill_numbers(text)
        yield from (f"it is not so that {claim}" for claim in step.false_claims())
        yield from _answer_problems(step)
    except HeadlightError as error:
        yield str(error)


def _link_problems(step: Step) -> Iterator[str]:
    """Yield the parts of a step's link that its page would reject."""
    query = step.query
    known = parameters_of(f"/{step.path}", query.get("part", ""))
    if known is None:
        yield f"there is no page {step.page}"
        return
    for name, text in query.items():
        try:
            known[name].parse(text)
        except (KeyError, ValueError):
            yield f"the page {step.page} does not know {name}={text}"
            return
    story = PRESETS.get(query.get("story", "")) if step.page == "calculator" else None
    for matrix, cells in story.cells.items() if story else ():
        name = matrix.replace("_", "").lower()  # W_Q is wq in the link
        shown = known[name].parse(query[name]) if name in query else known[name].default
        if shown != [list(row) for row in cells]:
            yield f"its link shows another {matrix} than the example {query['story']} has"


def _answer_problems(step: Step) -> Iterator[str]:
    """Yield a problem if the right answer is rejected or another option accepted."""
    question = step.question
    right = question.solution()
    if question.judge(right, 0).outcome != "right":
        yield f"{right} is not taken for right"
    for option in question.offered:
        if option != right and question.judge(option, 0).outcome == "right":
            yield f"{option} is taken for right, and so is {right}"
    if isinstance(question, ChoiceQuestion) and right in question.errors:
        yield f"{right} is right, and an error"
