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
    translator = parser.add_argument_group("translators")
    translator.add_argument("--step", type=int, help="a checkpoint; the last unless given")
    of_encoder = parser.add_argument_group("scratch")
    of_encoder.add_argument("--text", type=Path, help="held-out text, .txt or .txt.xz")
    of_encoder.add_argument("--treebank", type=Path, help="a CoNLL-U file")
    of_encoder.add_argument("--weights", type=Path, help="a file of a run; default: what ships")
    of_encoder.add_argument("--passages", type=int, help="the first so many alone; default: all")
    return run_command(_evaluate, parser, arguments)


def _evaluate(options: argparse.Namespace) -> None:
    if options.model in TASKS:
        print(translators.report(task_named(options.model), options.step))  # noqa: T201
        return
    if options.text is None:
        raise HeadlightError("An encoder is measured on a held-out text: name it with --text.")
    measured = encoder.report(options.text, options.weights, options.treebank, options.passages)
    for line in measured:
        print(line)  # noqa: T201 - a command's answer


if __name__ == "__main__":
    sys.exit(main())
