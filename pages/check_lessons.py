"""Holds a folder of lessons to the models: links open, numbers are true, answers are right.

Run it with ``python -m pages.check_lessons FOLDER``; without a folder it looks at ours.
"""

import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

from model import HeadlightError
from model.calculator import PRESETS
from pages.about.address import PARAMETERS as ABOUT
from pages.calculator.address import MATRICES
from pages.calculator.address import PARAMETERS as CALCULATOR
from pages.decoder.address import PARAMETERS as MASKS
from pages.decoder.generate_address import GENERATE
from pages.decoder.translate_address import TRANSLATE
from pages.explore.address import PARAMETERS as EXPLORE
from pages.heads.address import PARAMETERS as HEADS
from pages.layers.address import PARAMETERS as LAYERS
from pages.lessons.course import OURS, read_lesson
from pages.lessons.schema import Step
from pages.positions.address import PARAMETERS as POSITIONS
from pages.shared import warm
from pages.shared.address import Parameters

ADDRESSES: Mapping[str, Parameters] = {
    "explore": EXPLORE,
    "layers": LAYERS,
    "heads": HEADS,
    "calculator": CALCULATOR,
    "positions": POSITIONS,
    "about": ABOUT,
}
PARTS: Mapping[str, Parameters] = {"translate": TRANSLATE, "generate": GENERATE, "masks": MASKS}
"""Of the Decoder page: each has an address of its own."""


def problems(folder: Path) -> list[str]:
    """Say what is wrong with the lessons of a folder, each with its file and step."""
    found = []
    for file in sorted(folder.glob("*.toml")):
        try:
            steps = read_lesson(file).steps
        except HeadlightError as error:
            found.append(str(error))
            continue
        for number, step in enumerate(steps, start=1):
            found += [f"{file.name}, step {number}: {wrong}" for wrong in _wrong(step)]
    return found


def _wrong(step: Step) -> Iterator[str]:
    yield from _misread(step)
    try:
        for text in (step.say, step.do, step.question.why):
            step.told(text)
        yield from (f"it is not so that {claim}" for claim in step.false_claims())
        yield from _misjudged(step)
    except HeadlightError as error:
        yield str(error)


def _misread(step: Step) -> Iterator[str]:
    """What a page would not understand of its link."""
    query = step.query
    known = PARTS.get(query.get("part", "")) if step.page == "decoder" else None
    known = known or ADDRESSES.get(step.page)
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


def _misjudged(step: Step) -> Iterator[str]:
    """Whether the right answer is taken for right, and among options no other."""
    question = step.question
    right = question.solution()
    if not question.judge(right, 0).right:
        yield f"{right} is not taken for right"
    for option in question.offered:
        if option != right and question.judge(option, 0).right:
            yield f"{option} is taken for right, and so is {right}"


def main() -> int:
    """Print what is wrong; 1 if anything is."""
    warm.one_thread()
    found = problems(Path(sys.argv[1]) if len(sys.argv) > 1 else OURS)
    for problem in found:
        sys.stderr.write(f"{problem}\n")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
