"""Measurements of a trained model in Markdown: ``python -m training.evaluate --model NAME``."""

import argparse
import sys
from pathlib import Path

from model.errors import HeadlightError
from training.command import run_command
from training.encoder import report as encoder
from training.translators import report as translators
from training.translators.tasks import TASKS, task_named


def main(arguments: list[str] | None = None) -> int:
    """Read the command line and print the measurements."""
    parser = argparse.ArgumentParser(prog="python -m training.evaluate", description=__doc__)
    parser.add_argument("--model", choices=["scratch", *TASKS], default="scratch")
    parser.add_argument("--text", type=Path, help="held-out text of scratch, .txt or .txt.xz")
    return run_command(_evaluate, parser, arguments)


def _evaluate(options: argparse.Namespace) -> None:
    if options.model in TASKS:
        print(translators.report(task_named(options.model)))  # noqa: T201
        return
    if options.text is None:
        raise HeadlightError("An encoder is measured on a held-out text: name it with --text.")
    for line in encoder.report(options.text):
        print(line)  # noqa: T201 - a command's answer


if __name__ == "__main__":
    sys.exit(main())
