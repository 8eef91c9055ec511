"""Train a translator: ``python -m model.training.translation.train --task NAME --out FOLDER``.

The same command resumes an interrupted run. The examples are generated, so there is no corpus. On
shared cores GOMP_SPINCOUNT=0 OMP_WAIT_POLICY=passive help.
"""

import argparse
import sys
import time
from dataclasses import replace
from pathlib import Path

import torch
from tqdm import tqdm

from model.errors import HeadlightError
from model.training.stop import Stop
from model.training.translation.loop import Run
from model.training.translation.tasks import TASKS, task_named

SAVE_EVERY = 30.0
MEASURE_EVERY = 400
MEASURED = 300
"""Number of held-out examples that measure progress. They select nothing."""


def main(arguments: list[str] | None = None) -> int:
    """Run the command and print an error message if it fails.

    Args:
        arguments: Command-line arguments. None reads ``sys.argv``.

    Returns:
        Exit status: 1 after an error.
    """
    parser = argparse.ArgumentParser(
        prog="python -m model.training.translation.train", description=__doc__
    )
    parser.add_argument("--task", choices=sorted(TASKS), required=True)
    parser.add_argument("--out", type=Path, required=True, help="folder of the run")
    parser.add_argument("--steps", type=int, help="of the whole run")
    parser.add_argument("--pause-at", type=int, help="stop this session at that step")
    parser.add_argument("--batch", type=int, help="examples a step")
    parser.add_argument("--seed", type=int)
    parser.add_argument("--lr", type=float, help="peak learning rate")
    parser.add_argument("--threads", type=int, default=1)
    options = parser.parse_args(arguments)
    torch.set_num_threads(options.threads)
    try:
        train(options)
    except HeadlightError as error:
        print(error, file=sys.stderr)  # noqa: T201 - a command's answer
        return 1
    return 0


def train(options: argparse.Namespace) -> Run:
    """Start or resume a run until its last step, a pause or a signal.

    Args:
        options: Command-line options.

    Raises:
        HeadlightError: If the disk is full or the loss is not finite. The last checkpoint remains.
    """
    task = task_named(options.task)
    given = {
        name: value
        for name in ("steps", "batch", "seed", "lr")
        if (value := getattr(options, name)) is not None
    }
    recipe = replace(task.recipe, **given)
    run = Run(options.out, task, recipe)
    stop = Stop()
    last = min(recipe.steps, options.pause_at or recipe.steps)
    held_out = task.held_out()[:MEASURED]
    saved = time.monotonic()
    with tqdm(total=recipe.steps, initial=run.progress.step, unit="step") as bar:
        if run.progress.step == 0:
            run.snapshot()
        while run.progress.step < last and not stop.requested:
            loss = run.step()
            step = run.progress.step
            if step in task.checkpoints:
                run.snapshot()
            if step % MEASURE_EVERY == 0:
                valid_loss, exact = run.measured(held_out)
                run.note(loss=loss, valid_loss=valid_loss, exact=exact)
                bar.set_postfix(loss=f"{loss:.3f}", held_out=f"{exact:.1%}")
            if time.monotonic() - saved > SAVE_EVERY:
                run.save()
                saved = time.monotonic()
            bar.update()
        run.save()
    return run


if __name__ == "__main__":
    sys.exit(main())
