"""Command ``headlight``: serves the app, or runs one of its commands.

headlight [OPTIONS]              serve; see headlight --help
headlight survey OPTIONS         measure every head over a data set
headlight check-lessons FOLDER   check a folder of lessons
headlight --version

Serving and check-lessons need the extra app: pip install "headlight-attention[app]"
"""

import sys
from importlib import import_module
from importlib.metadata import version

COMMANDS = {
    "survey": "headlight.model.analysis.survey.__main__",
    "check-lessons": "headlight.pages.check_lessons",
}


def main() -> int | None:
    """Run the command line of the process; return its exit status."""
    first = sys.argv[1] if len(sys.argv) > 1 else ""
    if first == "--version":
        print(f"headlight {version('headlight-attention')}")  # noqa: T201 - a command's answer
        return 0
    if first and not first.startswith("-") and first not in COMMANDS:
        print(f"There is no command {first}.\n\n{__doc__}", file=sys.stderr)  # noqa: T201
        return 2
    if first in ("-h", "--help"):
        print(__doc__)  # noqa: T201
    try:
        module = import_module(COMMANDS.get(first, "headlight.app"))
    except ModuleNotFoundError as error:
        print(  # noqa: T201
            f"The package {error.name} is not installed. This command needs the extra app: "
            'pip install "headlight-attention[app]"',
            file=sys.stderr,
        )
        return 1
    if first in COMMANDS:
        del sys.argv[1]
    status: int | None = module.main()
    return status


if __name__ == "__main__":
    sys.exit(main())
