"""Training run in a folder: checkpoints, snapshots, log, and the loop that a signal can stop."""

import json
import math
import os
import signal
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection
from dataclasses import asdict, dataclass
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING, Any

import torch
from safetensors.torch import save_file
from torch import nn
from tqdm import tqdm

from model.errors import HeadlightError
from training.recipe import Recipe

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

STATE = "state.pt"  # the last checkpoint
SAVE_EVERY = 60.0  # seconds between two checkpoints


@dataclass
class Progress:
    """Progress of a run."""

    step: int = 0
    seconds: float = 0.0
    tokens: int = 0
    epoch: int = 0
    batch: int = 0


class Run(ABC):
    """A training run in a folder, which resumes exactly if the folder has a checkpoint."""

    model: nn.Module
    optimizer: torch.optim.Optimizer

    def __init__(self, folder: Path, config: "DataclassInstance", recipe: Recipe) -> None:
        self.folder = folder
        self.config = config
        self.recipe = recipe
        self.progress = Progress()
        self.state_file = folder / STATE
        folder.mkdir(parents=True, exist_ok=True)

    @abstractmethod
    def step(self) -> float:
        """Train on the next batch and return its loss in nats."""

    def update(self, loss: float, rate: float) -> None:
        """Clip the gradients and step with a learning rate, unless the run has diverged."""
        if not math.isfinite(loss):
            raise HeadlightError(
                "The loss of step {step} is {loss}, so the run has diverged. Go back to the "
                "checkpoint in {folder} and lower the learning rate.",
                step=self.progress.step,
                loss=loss,
                folder=str(self.folder),
            )
        nn.utils.clip_grad_norm_(self.model.parameters(), self.recipe.clip)
        for group in self.optimizer.param_groups:
            group["lr"] = rate
        self.optimizer.step()

    def save(self, name: str = STATE) -> None:
        """Write a checkpoint atomically; if that fails, the previous one remains."""
        state = {
            "model": self.model.state_dict(),
            "optimizer": self.optimizer.state_dict(),
            "progress": asdict(self.progress),
            "config": asdict(self.config),
            "recipe": asdict(self.recipe),
        }
        file = self.folder / name
        try:
            with open(f"{file}.new", "wb") as handle:
                torch.save(state, handle)
                handle.flush()
                os.fsync(handle.fileno())
            os.replace(f"{file}.new", file)
        except (OSError, RuntimeError) as error:  # torch reports a full disk as a RuntimeError
            raise HeadlightError(
                "The checkpoint was not written to {folder} ({reason}). Check the free disk "
                "space. The previous checkpoint is still there.",
                folder=str(self.folder),
                reason=str(error).splitlines()[0],
            ) from error

    def resume(self) -> None:
        """Go on from the last checkpoint, if there is one."""
        if self.state_file.is_file():
            self.restore(torch.load(self.state_file, map_location="cpu", weights_only=True))

    def restore(self, state: dict[str, Any]) -> None:
        """Resume from a checkpoint."""
        for name, mine in (("config", asdict(self.config)), ("recipe", asdict(self.recipe))):
            theirs = state[name]
            other = sorted(key for key in mine if theirs.get(key) != mine[key])
            if other:
                raise HeadlightError(
                    "The run in {folder} started with another {what}. Use the earlier settings, "
                    "or choose another folder.",
                    folder=str(self.folder),
                    what=", ".join(f"{key} ({theirs.get(key)})" for key in other),
                )
        self.model.load_state_dict(state["model"])
        self.optimizer.load_state_dict(state["optimizer"])
        self.progress = Progress(**state["progress"])

    def snapshot(self) -> None:
        """Write the weights of this step in fp16."""
        file = snapshot_file(self.folder, self.progress.step)
        file.parent.mkdir(exist_ok=True)
        weights = {n: w.half().cpu().contiguous() for n, w in self.model.state_dict().items()}
        save_file(weights, file)

    def note(self, **values: float) -> None:
        """Append a line of measurements to the run's log."""
        line = {**asdict(self.progress), **values}
        with open(self.folder / "log.jsonl", "a", encoding="utf-8") as log:
            log.write(json.dumps(line) + "\n")


def snapshot_file(folder: Path, step: int) -> Path:
    """Return the path of a run's weights at a step."""
    return folder / "snapshots" / f"step-{step:07d}.safetensors"


def train(
    run: Run,
    steps: int,
    snapshots: Collection[int],
    after_step: Callable[[float], dict[str, str]],
    *,
    pause_at: int | None = None,
) -> None:
    """Train until the last step, a pause or a signal, and save.

    ``after_step`` gets each loss and returns what the progress bar shows.
    """
    stop = Event()
    for number in (signal.SIGINT, signal.SIGTERM):  # finish the step, and save
        signal.signal(number, lambda *_: stop.set())
    saved = time.monotonic()
    last = min(steps, pause_at or steps)
    with tqdm(total=steps, initial=run.progress.step, unit="step", dynamic_ncols=True) as bar:
        if run.progress.step == 0:
            run.snapshot()
        while run.progress.step < last and not stop.is_set():
            loss = run.step()
            if run.progress.step in snapshots:
                run.snapshot()
            bar.set_postfix(after_step(loss), refresh=False)
            if time.monotonic() - saved > SAVE_EVERY:
                run.save()
                saved = time.monotonic()
            bar.update()
        run.save()
