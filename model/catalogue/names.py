"""Names of models: the catalogue, the checkpoints of our training, and other names."""

import os
import re
from dataclasses import dataclass
from typing import Literal
from urllib.parse import unquote

from model.catalogue import encoder_files, translation_files
from model.catalogue.translation_files import TaskName

ModelKind = Literal["encoder", "translator", "causal"]
"""What a model does: ``encoder``: attends; ``translator``: reads one text and generates another;
``causal``: attends to a text and continues it.
"""


@dataclass(frozen=True)
class ModelInfo:
    """An entry of the catalogue.

    Attributes:
        trained: False if the weights are random and carry no meaning.
        from_scratch: True for our own encoder, False for models that run in transformers.
        embedded: True if it needs no download.
    """

    name: str
    trained: bool
    from_scratch: bool
    embedded: bool
    kind: ModelKind = "encoder"


TRAINED = "scratch"
"""Our trained encoder; ``scratch@STEP`` is one of its checkpoints."""

TRANSLATORS = translation_files.TASK_NAMES
"""Our trained encoder-decoders; ``phrases@STEP`` is a checkpoint of one."""

MOST_DIGITS = 9
"""Most digits of a step. int() rejects strings of thousands of digits."""

CATALOGUE = (
    ModelInfo(TRAINED, trained=True, from_scratch=True, embedded=True),
    ModelInfo("scratch-untrained", trained=False, from_scratch=True, embedded=True),
    ModelInfo("scratch-minilm", trained=True, from_scratch=True, embedded=True),
    ModelInfo("minilm", trained=True, from_scratch=False, embedded=True),
    ModelInfo("minilm-sentiment", trained=True, from_scratch=False, embedded=True),
    ModelInfo("bert-base-uncased", trained=True, from_scratch=False, embedded=False),
    *(
        ModelInfo(name, trained=True, from_scratch=True, embedded=True, kind="translator")
        for name in TRANSLATORS
    ),
    ModelInfo("smollm2", trained=True, from_scratch=False, embedded=True, kind="causal"),
)


HUB_ADDRESS = re.compile(
    r"(?:https?://)?(?:www\.)?(?:huggingface\.co|hf\.co)/([\w.-]+/[\w.-]+)"
    r"(?:/(?:tree|blob|resolve)/([^/?#]+))?(?:[/?#].*)?$"
)
"""Address of a model's page, or of a file of it; its groups are owner/name and the revision."""


def list_models() -> tuple[ModelInfo, ...]:
    """List the catalogue. Hub ids, local folders and GGUF files can be loaded too."""
    return CATALOGUE


def model_info(name: str) -> ModelInfo:
    """Look up the catalogue entry of a name."""
    if (checkpoint := checkpoint_of(name)) is not None:
        name = checkpoint[0]
    other = ModelInfo(name, trained=True, from_scratch=False, embedded=False)
    return next((info for info in CATALOGUE if info.name == name), other)


def is_listed(name: str) -> bool:
    """Check whether a name belongs to the catalogue or to a checkpoint of it."""
    return checkpoint_of(name) is not None or any(info.name == name for info in CATALOGUE)


def canonical_name(name: str) -> str:
    """Normalise a name, if a model has several.

    ``scratch@0400`` becomes ``scratch@400``, the last checkpoint ``scratch``, a folder or a GGUF
    file (also with ``~``) its absolute path without links, and an address of the model hub its
    owner/name, with the revision if it gives one. Other names do not change.
    """
    if (checkpoint := checkpoint_of(name)) is not None:
        base, step = checkpoint
        return base if step == _steps(base)[-1] else f"{base}@{step}"
    # Unlike Path.is_dir, os.path.isdir is False for "" and for strings that are not paths.
    if is_listed(name):
        return name
    # "~" alone is no model, and os.path.expanduser would follow the home of other users.
    folder = os.path.expanduser(name) if name.startswith("~/") else name
    if os.path.isdir(folder):
        return os.path.realpath(folder)
    if os.path.isfile(folder):
        # The hub's cache links to files without an ending.
        return os.path.join(os.path.realpath(os.path.dirname(folder)), os.path.basename(folder))
    address = HUB_ADDRESS.match(name.strip())
    if address is None:
        return name.encode(errors="replace").decode()  # lone surrogates cannot be printed
    repository, revision = address.groups()
    return repository if revision in (None, "main") else f"{repository}@{unquote(revision)}"


def checkpoint_step(name: str) -> int | None:
    """Read the step of ``scratch@STEP``; None for other names."""
    checkpoint = checkpoint_of(name)
    return checkpoint[1] if checkpoint is not None and checkpoint[0] == TRAINED else None


def checkpoint_of(name: str) -> tuple[str, int] | None:
    """Read the model and the step of a checkpoint's name; None for other names."""
    base, _, step = name.partition("@")
    digits = step.lstrip("0") or step[:1]
    if base not in (TRAINED, *TRANSLATORS):
        return None
    if not digits.isdecimal() or len(digits) > MOST_DIGITS:
        return None
    return base, int(digits)


def checkpoint_names(of: str = TRAINED) -> list[str]:
    """List the names of the checkpoints in order of training; the last is the model itself."""
    return [*(f"{of}@{step}" for step in _steps(of)[:-1]), of]


def _steps(base: str) -> list[int]:
    if base == TRAINED:
        return [checkpoint.step for checkpoint in encoder_files.history().checkpoints]
    return [moment.step for moment in translation_files.translation(task_of(base)).checkpoints]


def task_of(base: str) -> TaskName:
    """Convert the name of a translator of ours to its type."""
    return next(name for name in TRANSLATORS if name == base)
