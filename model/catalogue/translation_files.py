"""Files of our trained translators: weights, checkpoints, tokenizers and measurements.

``weights/phrases.json`` and ``weights/dates.json`` list them. :mod:`training.translators.release`
writes them; ``weights/README.md`` describes the training.
"""

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Literal, get_args

from tokenizers import Tokenizer
from torch import Tensor

from model.catalogue.encoder_files import (
    FOLDER,
    WeightsFile,
    damaged,
    find_checkpoint,
    read_verified,
    read_weights,
)
from model.transformer.config import DecoderConfig, EncoderConfig
from model.transformer.encoder_decoder import EncoderDecoder

TaskName = Literal["phrases", "dates"]
TASK_NAMES: tuple[TaskName, ...] = get_args(TaskName)


@dataclass(frozen=True)
class TranslatorCheckpoint(WeightsFile):
    """Weights of a translator at one step of its training, with measurements.

    The last checkpoint has 16 bits for each weight, the others have 8.

    Attributes:
        exact: Share of held-out examples that are translated exactly.
        alignment: Share of target words for which the largest cross-attention weight lies on an
            aligned source word, by layer and head, the mean over heads last: (L, H + 1). Empty if
            no alignment is known.
    """

    loss: float
    exact: float
    alignment: list[list[float]]


@dataclass(frozen=True)
class ShippedTranslator:
    """A trained translator and its measurements.

    Attributes:
        tokenizers: Names of the tokenizer files, source then target, with their sha256.
        best: The cross-attention head with the best alignment: layer, head ("mean" or its number),
            its share on the half of the examples that chose it, on the other half, and words.
    """

    task: TaskName
    encoder: EncoderConfig
    decoder: DecoderConfig
    tokenizers: dict[str, str]
    checkpoints: tuple[TranslatorCheckpoint, ...]
    held_out: int
    held_out_sha256: str
    patterns: dict[str, tuple[int, int]]
    best: dict[str, Any]
    examples: tuple[str, ...]
    recipe: dict[str, Any]
    seconds: float


@cache
def translation(task: TaskName, folder: Path = FOLDER) -> ShippedTranslator:
    """Read the list of a translator's files."""
    name = f"{task}.json"
    try:
        read = json.loads((folder / name).read_text(encoding="utf-8"))
        read["encoder"] = EncoderConfig(**read["encoder"])
        read["decoder"] = DecoderConfig(**read["decoder"])
        read["checkpoints"] = tuple(TranslatorCheckpoint(**line) for line in read["checkpoints"])
        read["patterns"] = {kind: tuple(counts) for kind, counts in read["patterns"].items()}
        return ShippedTranslator(**{**read, "examples": tuple(read["examples"])})
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise damaged(name) from error


def tokenizers(task: TaskName, folder: Path = FOLDER) -> tuple[Tokenizer, Tokenizer]:
    """Read the tokenizers of a translator: the source's and the target's."""
    listed = translation(task, folder).tokenizers
    source, target = (
        Tokenizer.from_str(read_verified(folder / name, sha256).decode("utf-8"))
        for name, sha256 in listed.items()
    )
    return source, target


def weights(task: TaskName, step: int | None = None, folder: Path = FOLDER) -> dict[str, Tensor]:
    """Read the weights of a checkpoint, in float32; the last one if ``step`` is None."""
    return read_weights(find_checkpoint(translation(task, folder).checkpoints, step), folder)


def translator(task: TaskName, step: int | None = None, folder: Path = FOLDER) -> EncoderDecoder:
    """Load a trained translator, or a checkpoint of it, in eval mode."""
    listed = translation(task, folder)
    model = EncoderDecoder(listed.encoder, listed.decoder)
    model.load_state_dict(weights(task, step, folder))
    return model.eval()
