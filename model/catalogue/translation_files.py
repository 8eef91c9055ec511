"""What ships of the translators: weights, their checkpoints, tokenizers, and what was measured.

``weights/phrases.json`` and ``weights/dates.json`` list it; ``weights/README.md`` says how it came
to be. :mod:`model.training.translation.publish` writes all but the latter.
"""

import hashlib
import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Literal, get_args

from safetensors.torch import load_file
from tokenizers import Tokenizer
from torch import Tensor

from model.catalogue.quantise import restore
from model.catalogue.shipped import FOLDER
from model.errors import HeadlightError
from model.transformer.config import DecoderConfig, EncoderConfig
from model.transformer.encoder_decoder import EncoderDecoder

TaskName = Literal["phrases", "dates"]
TASK_NAMES: tuple[TaskName, ...] = get_args(TaskName)


@dataclass(frozen=True)
class Moment:
    """A checkpoint of a translator's training.

    Attributes:
        step: Steps done.
        file: Name of the file of weights: 16 bits of the last, 8 of those on the way.
        sha256: Of that file.
        loss: Held-out cross-entropy of a target token in nats, each after the true ones before it.
        exact: Share of held-out examples that are written as they should be, whole.
        alignment: How often the largest weight of the cross-attention lies on a source word that
            the target word stands for, by layer and head, the last column of the mean over heads:
            (L, H + 1). Empty where no alignment is known.
    """

    step: int
    file: str
    sha256: str
    loss: float
    exact: float
    alignment: list[list[float]]


@dataclass(frozen=True)
class ShippedTranslator:
    """What ships of a translator.

    Attributes:
        task: What it learned.
        encoder: Sizes of its encoder.
        decoder: Sizes of its decoder.
        tokenizers: Names of the files of source's and target's, with their sha256.
        checkpoints: In the order of training; the last one is the trained translator.
        held_out: How many examples the figures are of.
        held_out_sha256: Of these examples, a line each, source and target.
        patterns: By kind of example: how many of them, and how many were right at the end.
        best: What of the cross-attention was chosen on every other example, and its share on those
            between: layer, head ("mean" or its number), chosen, measured, words.
        examples: Some that a page can offer.
        recipe: What the run computed.
        seconds: That it took.
    """

    task: TaskName
    encoder: EncoderConfig
    decoder: DecoderConfig
    tokenizers: dict[str, str]
    checkpoints: tuple[Moment, ...]
    held_out: int
    held_out_sha256: str
    patterns: dict[str, tuple[int, int]]
    best: dict[str, Any]
    examples: tuple[str, ...]
    recipe: dict[str, Any]
    seconds: float


@cache
def translation(task: TaskName, folder: Path = FOLDER) -> ShippedTranslator:
    """What ships of a translator.

    Raises:
        HeadlightError: If its list is missing or broken.
    """
    name = f"{task}.json"
    try:
        read = json.loads((folder / name).read_text(encoding="utf-8"))
        read["encoder"] = EncoderConfig(**read["encoder"])
        read["decoder"] = DecoderConfig(**read["decoder"])
        read["checkpoints"] = tuple(Moment(**line) for line in read["checkpoints"])
        read["patterns"] = {kind: tuple(counts) for kind, counts in read["patterns"].items()}
        return ShippedTranslator(**{**read, "examples": tuple(read["examples"])})
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise HeadlightError(
            "The trained weights of this copy of Headlight are incomplete ({name}): fetch the "
            "repository again.",
            name=name,
        ) from error


def tokenizers(task: TaskName, folder: Path = FOLDER) -> tuple[Tokenizer, Tokenizer]:
    """How a translator cuts its source and its target.

    Raises:
        HeadlightError: If a file is missing or changed.
    """
    listed = translation(task, folder).tokenizers
    one, other = (
        Tokenizer.from_str(_checked(folder / name, sha256).decode("utf-8"))
        for name, sha256 in listed.items()
    )
    return one, other


def weights(task: TaskName, step: int | None = None, folder: Path = FOLDER) -> dict[str, Tensor]:
    """Read a checkpoint, in float32.

    Args:
        task: Of which translator.
        step: Which one; the last unless given.
        folder: Where they lie.

    Raises:
        HeadlightError: If there is no such checkpoint, or its file is missing or changed.
    """
    checkpoints = {moment.step: moment for moment in translation(task, folder).checkpoints}
    wanted = checkpoints.get(max(checkpoints) if step is None else step)
    if wanted is None:
        raise HeadlightError(
            "No checkpoint of step {step} was kept; there are {steps}.",
            step=step,
            steps=", ".join(map(str, checkpoints)),
        )
    file = folder / wanted.file
    _checked(file, wanted.sha256)
    return unpacked(load_file(file))


def unpacked(state: dict[str, Tensor]) -> dict[str, Tensor]:
    """Weights as they ship, in float32: in 16 bits, or packed by the catalogue's ``quantise``."""
    if any(name.endswith(".bits") for name in state):
        return restore(state)
    return {name: tensor.float() for name, tensor in state.items()}


def translator(task: TaskName, step: int | None = None, folder: Path = FOLDER) -> EncoderDecoder:
    """A trained translator, or a checkpoint of it, ready to be asked.

    Raises:
        HeadlightError: As :func:`weights`.
    """
    listed = translation(task, folder)
    model = EncoderDecoder(listed.encoder, listed.decoder)
    model.load_state_dict(weights(task, step, folder))
    return model.eval()


def _checked(file: Path, sha256: str) -> bytes:
    try:
        content = file.read_bytes()
    except OSError:
        content = b""
    if hashlib.sha256(content).hexdigest() != sha256:
        raise HeadlightError(
            "The weights {file} are not the ones that were published: fetch the repository again.",
            file=file.name,
        )
    return content
