"""Command ``headlight``: serves the app, or runs one of its commands.

headlight [OPTIONS]              serve; see headlight --help
headlight survey OPTIONS         measure every head over a data set
headlight check-lessons FOLDER   check a folder of lessons
headlight --version
"""

import sys
from importlib import import_module

from headlight import __version__

COMMANDS = {
    "survey": "headlight.model.analysis.survey.__main__",
    "check-lessons": "headlight.pages.check_lessons",
}


def main() -> int | None:
    """Run the command line of the process; return its exit status."""
    first = sys.argv[1] if len(sys.argv) > 1 else ""
    if first == "--version":
        print(f"headlight {__version__}")  # noqa: T201 - a command's answer
        return 0
    if first in ("-h", "--help"):
        print(__doc__)  # noqa: T201
    module = import_module(COMMANDS.get(first, "headlight.app"))
    if first in COMMANDS:
        del sys.argv[1]
    status: int | None = module.main()
    return status


if __name__ == "__main__":
    sys.exit(main())
