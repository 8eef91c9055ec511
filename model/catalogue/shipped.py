"""The trained weights in the repository, and the checkpoints on the way to them.

``weights/history.json`` lists them in the order of training, with what each was measured to do;
``weights/README.md`` says how they came to be. :mod:`model.training.publish` writes all but the
latter.
"""

import hashlib
import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from safetensors.torch import load
from torch import Tensor

from model.catalogue.quantise import restore
from model.errors import HeadlightError

FOLDER = Path(__file__).parents[1] / "weights"
HISTORY = "history.json"
LOG = "log.jsonl"


@dataclass(frozen=True)
class Checkpoint:
    """A moment of the training, with weights that can be looked at.

    Attributes:
        step: Steps done.
        file: Name of the file of weights.
        sha256: Of that file.
        quantised: Whether it holds fewer bits than the run had (:mod:`model.catalogue.quantise`).
        loss: Held-out cross-entropy of masked tokens in nats.
        top1: Share of masked tokens that the best guess hits.
        top5: Share that the five best guesses hold.
        previous: Mean attention of each head to the previous token of that text, (L, H).
        next: Mean attention of each head to the next token of it, (L, H).
    """

    step: int
    file: str
    sha256: str
    quantised: bool
    loss: float
    top1: float
    top5: float
    previous: list[list[float]]
    next: list[list[float]]


@dataclass(frozen=True)
class History:
    """What ships.

    Attributes:
        checkpoints: In the order of training; the last one is the trained encoder.
        measured_on: Name of the held-out text that the figures are of.
        passages: Of how many passages it is: all that it has.
        masked: How many masked tokens the figures are the mean of.
        most_frequent: Ids of the five most frequent tokens of the training text: the guesses of
            the unigram baseline.
        tokens: Read in the whole training.
        seconds: That it took.
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
    """The checkpoints that ship.

    Raises:
        HeadlightError: If their list is missing or broken.
    """
    try:
        read = json.loads((folder / HISTORY).read_text(encoding="utf-8"))
        checkpoints = tuple(Checkpoint(**line) for line in read.pop("checkpoints"))
        frequent = tuple(read.pop("most_frequent"))
        return History(checkpoints, most_frequent=frequent, **read)
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise HeadlightError(
            "The trained weights of this copy of Headlight are incomplete ({name}): fetch the "
            "repository again.",
            name=HISTORY,
        ) from error


def weights(step: int | None = None, folder: Path = FOLDER) -> dict[str, Tensor]:
    """Read a checkpoint, in float32.

    Args:
        step: Which one; the last unless given.
        folder: Where they lie.

    Raises:
        HeadlightError: If there is no such checkpoint, or its file is missing or changed.
    """
    checkpoints = history(folder).checkpoints
    wanted = checkpoints[-1] if step is None else _find(step, checkpoints)
    state = load(published(folder / wanted.file, wanted.sha256))
    if wanted.quantised:
        return restore(state)
    return {name: tensor.float() for name, tensor in state.items()}


def published(file: Path, sha256: str) -> bytes:
    """Read a file that ships.

    Raises:
        HeadlightError: If it is missing, or another one than was published.
    """
    try:
        data = file.read_bytes()
    except OSError:
        data = b""
    if hashlib.sha256(data).hexdigest() != sha256:
        raise HeadlightError(
            "The weights {file} are not the ones that were published: fetch the repository again.",
            file=file.name,
        )
    return data


def _find(step: int, checkpoints: tuple[Checkpoint, ...]) -> Checkpoint:
    for checkpoint in checkpoints:
        if checkpoint.step == step:
            return checkpoint
    raise HeadlightError(
        "No checkpoint of step {step} was kept; there are {steps}.",
        step=step,
        steps=", ".join(str(checkpoint.step) for checkpoint in checkpoints),
    )


@dataclass(frozen=True)
class LogLine:
    """A line of the run's log.

    Attributes:
        step: Steps done.
        tokens: Tokens read.
        seconds: Spent training.
        epoch: Which pass over the text.
        batch: Which batch of it came next.
        loss: On the training text: over a sample of the vocabulary, smoothed over 100 steps.
        valid_loss: On a book kept out of training: over the whole vocabulary, in nats.
        top1: Share of that book's masked tokens that the best guess hit.
    """

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
    """What the training run wrote down on its way.

    Raises:
        HeadlightError: If the log is missing or broken.
    """
    try:
        lines = (folder / LOG).read_text(encoding="utf-8").splitlines()
        return tuple(LogLine(**json.loads(line)) for line in lines)
    except (OSError, ValueError, TypeError) as error:
        raise HeadlightError(
            "The trained weights of this copy of Headlight are incomplete ({name}): fetch the "
            "repository again.",
            name=LOG,
        ) from error
