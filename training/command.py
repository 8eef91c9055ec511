"""Frame of the commands: options, one thread, errors in words."""

import argparse
import sys
from collections.abc import Callable

import torch

from model.errors import HeadlightError


def run_command(
    act: Callable[[argparse.Namespace], object],
    parser: argparse.ArgumentParser,
    arguments: list[str] | None,
) -> int:
    """Run a command; print an error in words and return 1 if it fails."""
    options = parser.parse_args(arguments)
    # More threads are slower on short sequences, and on a busy machine they wait for each other.
    torch.set_num_threads(1)
    try:
        act(options)
    except HeadlightError as error:
        print(error, file=sys.stderr)  # noqa: T201 - a command's answer
        return 1
    return 0
