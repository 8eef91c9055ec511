"""Train a translator: ``python -m training.translators.train --task NAME --out FOLDER``.

The same command resumes an interrupted run. The examples are generated, so there is no corpus. On
shared cores GOMP_SPINCOUNT=0 OMP_WAIT_POLICY=passive help.
"""

import argparse
import sys
from dataclasses import replace
from pathlib import Path

from training import loop
from training.command import run_command
from training.translators.run import TranslatorRun
from training.translators.tasks import TASKS, task_named


def main(arguments: list[str] | None = None) -> int:
    """Read the command line and train."""
    parser = argparse.ArgumentParser(
        prog="python -m training.translators.train", description=__doc__
    )
    parser.add_argument("--task", choices=sorted(TASKS), required=True)
    parser.add_argument("--out", type=Path, required=True, help="folder of the run")
    parser.add_argument("--steps", type=int, help="of the whole run")
    parser.add_argument("--pause-at", type=int, help="stop this session at that step")
    parser.add_argument("--batch", type=int, help="examples a step")
    parser.add_argument("--seed", type=int)
    parser.add_argument("--lr", type=float, help="peak learning rate")
    return run_command(train, parser, arguments)


def train(options: argparse.Namespace) -> None:
    """Start or resume a run until its last step, a pause or a signal."""
    task = task_named(options.task)
    values = {name: getattr(options, name) for name in ("steps", "batch", "seed", "lr")}
    given = {name: value for name, value in values.items() if value is not None}
    run = TranslatorRun(options.out, task, replace(task.recipe, **given))
    steps, pause_at = run.recipe.steps, options.pause_at
    loop.train(run, steps, task.checkpoints, lambda x: {"loss": f"{x:.3f}"}, pause_at=pause_at)


if __name__ == "__main__":
    sys.exit(main())
