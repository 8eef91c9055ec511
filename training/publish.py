"""Release of a run: ``python -m training.publish --run FOLDER``.

Writes the weights (16 bits), the quantised checkpoints and their measurements into
``model/weights``. With ``--model`` it only measures the shipped checkpoints again: an encoder on
the whole text of ``--text``, a translator on all held-out examples.
"""

import argparse
import sys
from pathlib import Path

from model.errors import HeadlightError
from training.command import run_command
from training.encoder import release as encoder
from training.release import load_run
from training.translators import release as translators
from training.translators.tasks import TASKS, task_named


def main(arguments: list[str] | None = None) -> int:
    """Read the command line and release."""
    parser = argparse.ArgumentParser(prog="python -m training.publish", description=__doc__)
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--run", type=Path, help="folder of the run")
    what.add_argument("--model", choices=["scratch", *TASKS], help="measure a shipped model again")
    parser.add_argument("--text", type=Path, help="held-out text of an encoder")
    return run_command(_publish, parser, arguments)


def _publish(options: argparse.Namespace) -> None:
    if options.model in TASKS:
        translators.measure_again(task_named(options.model))
    elif options.run and "task" in load_run(options.run)["recipe"]:
        translators.ship(options.run)
    elif options.text is None:
        raise HeadlightError("An encoder is measured on a held-out text: name it with --text.")
    elif options.run:
        encoder.ship(options.run, options.text)
    else:
        encoder.measure_again(options.text)


if __name__ == "__main__":
    sys.exit(main())
