"""The lessons in their order: ours, and those of a folder that whoever runs the server names."""

import re
import tomllib
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

from pydantic import ValidationError

from model import HeadlightError
from pages.lessons.schema import Lesson, Step
from pages.shared import settings

OURS = Path(__file__).parents[2] / "lessons"


@dataclass(frozen=True)
class Place:
    """Where in the course: a lesson by its name, and a step of it, from 1."""

    lesson: str
    step: int = 1

    def __str__(self) -> str:
        """As the address has it, ``masks.2``."""
        return f"{self.lesson}.{self.step}"

    @classmethod
    def read(cls, text: str) -> "Place":
        """Read what the address has; the step may be left out.

        Raises:
            ValueError: If it is no place.
        """
        lesson, _, step = text.partition(".")
        return cls(lesson, int(step or 1))


@dataclass(frozen=True)
class Course:
    """All lessons.

    Attributes:
        lessons: By their names, in their order.
        added: Names of those from the folder of whoever runs the server.
        problems: What is wrong with files that were left out.
    """

    lessons: dict[str, Lesson]
    added: frozenset[str] = frozenset()
    problems: tuple[HeadlightError, ...] = ()

    def step(self, place: Place) -> Step | None:
        """A step, if there is such a one."""
        lesson = self.lessons.get(place.lesson)
        if lesson is None or not 1 <= place.step <= len(lesson.steps):
            return None
        return lesson.steps[place.step - 1]

    def beside(self, place: Place, by: int) -> Place | None:
        """The place one step on, or back with -1, in this lesson or the next; None at the ends."""
        names = list(self.lessons)
        at, step = names.index(place.lesson), place.step + by
        if 1 <= step <= len(self.lessons[place.lesson].steps):
            return Place(place.lesson, step)
        at += by
        if not 0 <= at < len(names):
            return None
        return Place(names[at], 1 if by > 0 else len(self.lessons[names[at]].steps))


def course() -> Course:
    """The lessons as the files now say; they are read again when one has changed."""
    own = settings.now().lessons
    known = _read(_files(OURS), _files(Path(own)) if own else ())
    if own and not Path(own).is_dir():
        missing = HeadlightError("There is no folder {folder} to take lessons from.", folder=own)
        return replace(known, problems=(*known.problems, missing))
    return known


def read_lesson(file: Path) -> Lesson:
    """Read a lesson.

    Raises:
        HeadlightError: If the file is none.
    """
    try:
        return Lesson.model_validate(tomllib.loads(file.read_text("utf-8")))
    except ValidationError as error:
        wrong = "; ".join(
            f"{'.'.join(map(str, each['loc']))}: {each['msg']}" for each in error.errors()
        )
        raise HeadlightError(
            "{file} is no lesson: {wrong}.", file=file.name, wrong=wrong
        ) from error
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise HeadlightError(
            "{file} cannot be read: {wrong}.", file=file.name, wrong=str(error)
        ) from error


def name_of(file: Path) -> str:
    """A lesson's name: its file's, without the number that says where it stands."""
    return re.sub(r"^\d+[-_]", "", file.stem)


Files = tuple[tuple[Path, int], ...]


def _files(folder: Path) -> Files:
    """The lessons of a folder by their files' names, and when they were written."""
    return tuple((file, file.stat().st_mtime_ns) for file in sorted(folder.glob("*.toml")))


@lru_cache(maxsize=2)
def _read(ours: Files, added: Files) -> Course:
    """Read them; of two with one name that of the folder stands, in the other's place."""
    lessons: dict[str, Lesson] = {}
    problems = []
    for file, _ in (*ours, *added):
        try:
            lessons[name_of(file)] = read_lesson(file)
        except HeadlightError as error:
            problems.append(error)
    names = frozenset(name_of(file) for file, _ in added) & lessons.keys()
    return Course(lessons, names, tuple(problems))
