"""The translators in the repository: their weights, tokenizers, and checkpoints on the way.

``weights/NAME.json`` lists what a translator is made of, with the hash of each file::

    {
      "encoder": {the fields of EncoderConfig}, "decoder": {the fields of DecoderConfig},
      "source": {"file": "NAME-source.json", "sha256": ...},
      "target": {"file": "NAME-target.json", "sha256": ...},
      "checkpoints": [{"step": 300, "file": "NAME-000300.safetensors", "sha256": ...,
                       "measured": {...}}, ...],
      "training": {...}
    }

The checkpoints stand in the order of training; the last one is ``NAME.safetensors``.
"""

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from safetensors.torch import load
from tokenizers import Tokenizer

from model.catalogue.shipped import FOLDER, published
from model.errors import HeadlightError
from model.transformer.config import DecoderConfig, EncoderConfig
from model.transformer.encoder_decoder import EncoderDecoder


@dataclass(frozen=True)
class File:
    """A file that ships.

    Attributes:
        file: Its name.
        sha256: Of its bytes.
    """

    file: str
    sha256: str


@dataclass(frozen=True)
class TranslatorCheckpoint(File):
    """A moment of the training.

    Attributes:
        step: Steps done.
        measured: What it got right, by name: shares of 1, and the loss in nats.
    """

    step: int
    measured: dict[str, float]


@dataclass(frozen=True)
class Shipped:
    """What a translator is made of.

    Attributes:
        encoder: Its sizes.
        decoder: Its sizes.
        source: The tokenizer of what it reads.
        target: The tokenizer of what it writes.
        checkpoints: In the order of training; the last one is the translator.
        training: How it was trained and measured: for tables, not for the model.
    """

    encoder: EncoderConfig
    decoder: DecoderConfig
    source: File
    target: File
    checkpoints: tuple[TranslatorCheckpoint, ...]
    training: dict[str, Any]


@cache
def shipped(name: str, folder: Path = FOLDER) -> Shipped:
    """What a translator of the catalogue is made of.

    Raises:
        HeadlightError: If its list is missing or broken.
    """
    try:
        read = json.loads((folder / f"{name}.json").read_text(encoding="utf-8"))
        checkpoints = tuple(TranslatorCheckpoint(**line) for line in read["checkpoints"])
        if not checkpoints:
            raise ValueError("no checkpoints")
        return Shipped(
            encoder=EncoderConfig(**read["encoder"]),
            decoder=DecoderConfig(**read["decoder"]),
            source=File(**read["source"]),
            target=File(**read["target"]),
            checkpoints=checkpoints,
            training=read["training"],
        )
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise HeadlightError(
            "The trained weights of this copy of Headlight are incomplete ({name}): fetch the "
            "repository again.",
            name=f"{name}.json",
        ) from error


def read(
    name: str, step: int | None = None, folder: Path = FOLDER
) -> tuple[EncoderDecoder, Tokenizer, Tokenizer]:
    """A translator's network in float32, and the tokenizers of its source and its target.

    Args:
        name: Of the catalogue.
        step: A checkpoint on the way; the end of the training unless given.
        folder: Where the files lie.

    Raises:
        HeadlightError: If there is no such checkpoint, or a file is missing or changed.
    """
    parts = shipped(name, folder)
    checkpoint = parts.checkpoints[-1] if step is None else _find(step, parts.checkpoints)
    network = EncoderDecoder(parts.encoder, parts.decoder)
    state = load(published(folder / checkpoint.file, checkpoint.sha256))
    network.load_state_dict({name: tensor.float() for name, tensor in state.items()})
    source, target = (
        Tokenizer.from_buffer(published(folder / part.file, part.sha256))
        for part in (parts.source, parts.target)
    )
    return network, source, target


def _find(step: int, checkpoints: tuple[TranslatorCheckpoint, ...]) -> TranslatorCheckpoint:
    for checkpoint in checkpoints:
        if checkpoint.step == step:
            return checkpoint
    raise HeadlightError(
        "No checkpoint of step {step} was kept; there are {steps}.",
        step=step,
        steps=", ".join(str(checkpoint.step) for checkpoint in checkpoints),
    )
