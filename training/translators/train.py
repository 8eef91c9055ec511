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

MEASURE_EVERY = 400
MEASURED = 300
"""Number of held-out examples that measure progress. They select nothing."""


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
    parser.add_argument("--threads", type=int, default=1)
    return run_command(train, parser, arguments)


def train(options: argparse.Namespace) -> None:
    """Start or resume a run until its last step, a pause or a signal."""
    task = task_named(options.task)
    values = {name: getattr(options, name) for name in ("steps", "batch", "seed", "lr")}
    given = {name: value for name, value in values.items() if value is not None}
    run = TranslatorRun(options.out, task, replace(task.recipe, **given))
    held_out = task.held_out()[:MEASURED]
    shown: dict[str, str] = {}

    def after_step(loss: float) -> dict[str, str]:
        if run.progress.step % MEASURE_EVERY == 0:
            valid_loss, exact = run.measured(held_out)
            run.note(loss=loss, valid_loss=valid_loss, exact=exact)
            shown.update(loss=f"{loss:.3f}", held_out=f"{exact:.1%}")
        return shown

    loop.train(run, run.recipe.steps, task.checkpoints, after_step, pause_at=options.pause_at)


if __name__ == "__main__":
    sys.exit(main())
