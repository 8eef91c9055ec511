"""The course: the shipped lessons, and the lessons of the folder in the server's settings."""

import re
import tomllib
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from pydantic import ValidationError

from lessons.schema import Lesson, LessonStep
from lessons.texts import change_texts
from model import HeadlightError
from web import language, settings

OURS = Path(__file__).parent

SHORT = 5
"""The first lessons of the course take 30 minutes."""


@dataclass(frozen=True)
class LessonPlace:
    """A place in the course: the name of a lesson and the number of a step, from 1."""

    lesson: str
    step: int = 1

    def __str__(self) -> str:
        """Return the form used in URLs, ``masks.2``."""
        return f"{self.lesson}.{self.step}"

    @classmethod
    def read(cls, text: str) -> "LessonPlace":
        """Parse the form used in URLs; without a step it is the first."""
        lesson, _, step = text.partition(".")
        return cls(lesson, int(step or 1))


@dataclass(frozen=True)
class Course:
    """All lessons by name; ``added`` ones are of the folder in the settings."""

    lessons: dict[str, Lesson]
    added: frozenset[str] = frozenset()
    problems: tuple[HeadlightError, ...] = ()

    def step(self, place: LessonPlace) -> LessonStep:
        """Return the step at a place of the course."""
        return self.lessons[place.lesson].steps[place.step - 1]

    def step_at(self, text: str) -> LessonStep | None:
        """Return the step at a place as URLs write it, or None."""
        try:
            place = LessonPlace.read(text)
            return self.step(place) if place.step > 0 else None
        except (ValueError, LookupError):
            return None

    def link(self, place: LessonPlace, **visit: str) -> str:
        """Return the URL of a step, from the root of the site, with parameters of a visit."""
        step = self.step(place)
        return f"/{step.path}?" + urlencode({**visit, **step.query, "lesson": str(place)})

    def title(self, name: str) -> str:
        """Return the title of a lesson, with its number."""
        return f"{list(self.lessons).index(name) + 1} · {self.lessons[name].title}"

    @property
    def short(self) -> list[str]:
        """Names of the lessons that take 30 minutes."""
        return [name for name in self.lessons if name not in self.added][:SHORT]

    def neighbour(self, place: LessonPlace, by: int) -> LessonPlace | None:
        """Return the place one step ahead (1) or back (-1), or None; lessons lead to each other."""
        steps = {name: range(1, len(lesson.steps) + 1) for name, lesson in self.lessons.items()}
        places = [LessonPlace(name, step) for name in steps for step in steps[name]]
        at = places.index(place) + by
        return places[at] if 0 <= at < len(places) else None


def course() -> Course:
    """Return the course in the reader's language; files are read again when one has changed."""
    own = settings.now().lessons
    known = _read(_files(OURS), _files(Path(own)) if own else (), language.language())
    if own and not Path(own).is_dir():
        missing = HeadlightError("There is no folder {folder} with lessons.", folder=own)
        return replace(known, problems=(*known.problems, missing))
    return known


def room_plan(name: str) -> dict[str, Any] | None:
    """Return a lesson for a room: ``lesson``, ``title`` and ``views``, one for each step."""
    known = course()
    lesson = known.lessons.get(name)
    if lesson is None:
        return None
    views = [known.link(LessonPlace(name, step)) for step in range(1, len(lesson.steps) + 1)]
    return {"lesson": name, "title": lesson.title, "views": views}


def read_lesson(file: Path, translate: Callable[[str], str] = str) -> Lesson:
    """Read a lesson from a TOML file."""
    try:
        raw = tomllib.loads(file.read_text("utf-8"))
        return Lesson.model_validate(change_texts(raw, translate))
    except ValidationError as error:
        errors = error.errors(include_url=False, include_input=False)[:10]
        wrong = "; ".join(f"{'.'.join(map(str, each['loc']))}: {each['msg']}" for each in errors)
    except (OSError, ValueError, RecursionError) as error:  # a number of 4,301 digits: ValueError
        wrong = str(error)
    raise HeadlightError("{file} cannot be read: {wrong}.", file=file.name, wrong=wrong)


def name_of(file: Path) -> str:
    """Return a lesson's name: the file's stem without its leading number."""
    return re.sub(r"^\d+[-_]", "", file.stem)


Files = tuple[tuple[Path, int], ...]


def _files(folder: Path) -> Files:
    """Return a folder's lesson files, sorted by name, with their modification times."""
    return tuple((file, file.stat().st_mtime_ns) for file in sorted(folder.glob("*.toml")))


@lru_cache(maxsize=8)
def _read(ours: Files, added: Files, spoken: str) -> Course:
    """Read all files; an added lesson replaces one of ours with the same name."""
    lessons: dict[str, Lesson] = {}
    translate = language.catalogue(spoken).gettext
    problems = []
    for file, _ in (*ours, *added):
        try:
            lessons[name_of(file)] = read_lesson(file, translate)
        except HeadlightError as error:
            problems.append(error)
    names = frozenset(name_of(file) for file, _ in added) & lessons.keys()
    return Course(lessons, names, tuple(problems))
