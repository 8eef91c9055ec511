"""The models by name: the catalogue, the checkpoints on the way, and what any other name means."""

import os
from dataclasses import dataclass
from typing import Literal

from model.catalogue import shipped, translation_files
from model.catalogue.translation_files import TaskName

Kind = Literal["encoder", "translator", "causal"]
"""What a model does: ``attend`` to a text, read one and ``generate`` another, or both with one."""


@dataclass(frozen=True)
class ModelInfo:
    """A line of the catalogue.

    Attributes:
        name: What :func:`load_model` takes.
        trained: False where the weights are random and carry no meaning.
        from_scratch: True for our own encoder, False for transformers'.
        embedded: True if it needs no download.
        kind: What it does.
        bits: Of each of its weights, as published; computed is in 32.
    """

    name: str
    trained: bool
    from_scratch: bool
    embedded: bool
    kind: Kind = "encoder"
    bits: int = 32


TRAINED = "scratch"
"""Our encoder as it ships; ``scratch@STEP`` is it at a checkpoint on the way."""

TRANSLATORS = translation_files.TASK_NAMES
"""Our encoder-decoders as they ship; ``phrases@STEP`` is one of them on the way."""

MOST_DIGITS = 9
"""Of a step: Python reads no number of thousands of them, and no training is that long."""

CATALOGUE = (
    ModelInfo(TRAINED, trained=True, from_scratch=True, embedded=True),
    ModelInfo("scratch-untrained", trained=False, from_scratch=True, embedded=True),
    ModelInfo("scratch-minilm", trained=True, from_scratch=True, embedded=True),
    ModelInfo("minilm", trained=True, from_scratch=False, embedded=True),
    ModelInfo("bert-base-uncased", trained=True, from_scratch=False, embedded=False),
    *(
        ModelInfo(name, trained=True, from_scratch=True, embedded=True, kind="translator")
        for name in TRANSLATORS
    ),
    ModelInfo("smollm2", trained=True, from_scratch=False, embedded=True, kind="causal", bits=4),
)


def list_models() -> tuple[ModelInfo, ...]:
    """The catalogue; any hub id or local folder can be loaded besides."""
    return CATALOGUE


def model_info(name: str) -> ModelInfo:
    """The catalogue's line of a name; hub ids and folders are trained models from elsewhere."""
    if (checkpoint := checkpoint_of(name)) is not None:
        name = checkpoint[0]
    other = ModelInfo(name, trained=True, from_scratch=False, embedded=False)
    return next((info for info in CATALOGUE if info.name == name), other)


def is_listed(name: str) -> bool:
    """Whether a name is the catalogue's or a checkpoint's: no folder and no hub id of one's own."""
    return checkpoint_of(name) is not None or any(info.name == name for info in CATALOGUE)


def canonical_name(name: str) -> str:
    """The one name of a model that can be asked for by several.

    ``scratch@0400`` is ``scratch@400``, the last checkpoint is ``scratch``, and a folder has the
    absolute path without links. Hub ids and what means nothing stay as they are.
    """
    if (checkpoint := checkpoint_of(name)) is not None:
        base, step = checkpoint
        return base if step == _steps(base)[-1] else f"{base}@{step}"
    # Unlike Path.is_dir, os.path.isdir is False for "" and for names that are no path.
    if not is_listed(name) and os.path.isdir(name):
        return os.path.realpath(name)
    return name


def checkpoint_step(name: str, of: str = TRAINED) -> int | None:
    """The step in ``scratch@STEP``, or of another model of ours; None for other names."""
    checkpoint = checkpoint_of(name)
    return checkpoint[1] if checkpoint is not None and checkpoint[0] == of else None


def checkpoint_of(name: str) -> tuple[str, int] | None:
    """The model and the step in ``scratch@STEP`` and its like; None for names of another kind."""
    base, _, step = name.partition("@")
    digits = step.lstrip("0") or step[:1]
    if base not in (TRAINED, *TRANSLATORS):
        return None
    if not digits.isdecimal() or len(digits) > MOST_DIGITS:
        return None
    return base, int(digits)


def checkpoint_names(of: str = TRAINED) -> list[str]:
    """What the checkpoints are called, in the order of training; the last one ships as itself.

    Args:
        of: Whose: our encoder's, or a translator's.

    Raises:
        HeadlightError: If their list is missing or broken.
    """
    return [*(f"{of}@{step}" for step in _steps(of)[:-1]), of]


def _steps(base: str) -> list[int]:
    if base == TRAINED:
        return [checkpoint.step for checkpoint in shipped.history().checkpoints]
    return [moment.step for moment in translation_files.translation(task_of(base)).checkpoints]


def task_of(base: str) -> TaskName:
    """A translator of ours, by its name."""
    return next(name for name in TRANSLATORS if name == base)
