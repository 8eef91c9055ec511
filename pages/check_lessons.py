"""Command that checks a folder of lessons: links, numbers, claims and answers.

python -m pages.check_lessons FOLDER      # without a folder: our lessons
"""

import sys
from collections.abc import Iterator
from pathlib import Path

from model import HeadlightError
from model.calculator import PRESETS
from pages.calculator.url import MATRICES
from pages.lessons.course import OURS, read_lesson
from pages.lessons.questions import ChoiceQuestion
from pages.lessons.schema import Step
from pages.urls import BY_PATH, DECODER_PARTS
from web.server import warmup


def problems(folder: Path) -> list[str]:
    """Return the problems of the lessons in a folder, each with its file and step."""
    found = []
    for file in sorted(folder.rglob("*.toml")):
        try:
            steps = read_lesson(file).steps
        except HeadlightError as error:
            found.append(str(error))
            continue
        for number, step in enumerate(steps, start=1):
            found += [f"{file.name}, step {number}: {wrong}" for wrong in _step_problems(step)]
    return found


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
    known = DECODER_PARTS.get(query.get("part", "")) if step.page == "decoder" else None
    known = known or BY_PATH.get("/" if step.page == "explore" else f"/{step.page}")
    if known is None:
        yield f"there is no page {step.page}, or it has no such part"
        return
    for name, text in query.items():
        try:
            known[name].parse(text)
        except (KeyError, ValueError):
            yield f"the page {step.page} does not know {name}={text}"
            return
    story = PRESETS.get(query.get("story", "")) if step.page == "calculator" else None
    if story is None:
        return
    for name, matrix in MATRICES.items():
        shown = known[name].parse(query[name]) if name in query else known[name].default
        if matrix in story.cells and shown != [list(row) for row in story.cells[matrix]]:
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


def main() -> int:
    """Print the problems; return 1 if there are any, else 0."""
    warmup.use_one_thread()
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else OURS
    if not any(folder.rglob("*.toml")):
        sys.stderr.write(f"{folder} is no folder with lessons: it has no file *.toml.\n")
        return 1
    found = problems(folder)
    for problem in found:
        sys.stderr.write(f"{problem}\n")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
