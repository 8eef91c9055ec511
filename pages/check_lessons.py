"""Command that checks a folder of lessons: links, numbers, claims and answers.

python -m pages.check_lessons FOLDER      # without a folder: our lessons
"""

import sys
from pathlib import Path

from lessons.checking import lesson_problems
from lessons.course import OURS, read_lesson
from model import HeadlightError
from pages.urls import parameters_of
from web.server import warmup


def problems(folder: Path) -> list[str]:
    """Return the problems of the lessons in a folder, each with its file and step."""
    found = []
    for file in sorted(folder.rglob("*.toml")):
        try:
            lesson = read_lesson(file)
        except HeadlightError as error:
            found.append(str(error))
            continue
        found += [f"{file.name}: {problem}" for problem in lesson_problems(lesson, parameters_of)]
    return found


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
