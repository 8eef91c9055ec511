"""The models by name, and how each is loaded."""

import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, cast, overload

from tokenizers import Tokenizer

from model.catalogue import scratch, shipped, translation_files
from model.catalogue.causal import LoadedCausal
from model.catalogue.loaded import LoadedModel
from model.catalogue.pretrained import hub
from model.catalogue.pretrained.elsewhere import load_elsewhere
from model.catalogue.pretrained.folder import EITHER, load_folder
from model.catalogue.pretrained.smollm2 import smollm2
from model.catalogue.translation_files import TaskName
from model.catalogue.translator import LoadedTranslator
from model.errors import HeadlightError

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
    if (checkpoint := _checkpoint(name)) is not None:
        name = checkpoint[0]
    other = ModelInfo(name, trained=True, from_scratch=False, embedded=False)
    return next((info for info in CATALOGUE if info.name == name), other)


def is_listed(name: str) -> bool:
    """Whether a name is the catalogue's or a checkpoint's: no folder and no hub id of one's own."""
    return _checkpoint(name) is not None or any(info.name == name for info in CATALOGUE)


def canonical_name(name: str) -> str:
    """The one name of a model that can be asked for by several.

    ``scratch@0400`` is ``scratch@400``, the last checkpoint is ``scratch``, and a folder has the
    absolute path without links. Hub ids and what means nothing stay as they are.
    """
    if (checkpoint := _checkpoint(name)) is not None:
        base, step = checkpoint
        return base if step == _steps(base)[-1] else f"{base}@{step}"
    # Unlike Path.is_dir, os.path.isdir is False for "" and for names that are no path.
    if not is_listed(name) and os.path.isdir(name):
        return os.path.realpath(name)
    return name


# A checkpoint's name is any string to mypy: load_translator says what phrases@STEP is.
@overload
def load_model(  # type: ignore[overload-overlap]
    name: TaskName, *, download: bool = True
) -> LoadedTranslator: ...
@overload
def load_model(name: Literal["smollm2"], *, download: bool = True) -> LoadedCausal: ...
@overload
def load_model(name: str, *, download: bool = True) -> LoadedModel: ...
def load_model(name: str, *, download: bool = True) -> LoadedModel | LoadedTranslator:
    """Load a model to look at.

    Args:
        name: A name of the catalogue, a hub id (owner/name), a local folder, or
            ``scratch@STEP``, ``phrases@STEP`` or ``dates@STEP``: a model of ours at a checkpoint of
            its training. It is called by its :func:`canonical_name`.
        download: Fetch a hub model that is not in the local cache.

    Raises:
        NotDownloadedError: If it would have to be fetched and may not be.
        HeadlightError: If the model cannot be found, reached or read; the sentence says why.
    """
    if model_info(name).kind == "translator":
        return load_translator(name)
    return load_reader(name, download=download)


def load_reader(name: str, *, download: bool = True) -> LoadedModel:
    """Load a model that attends to a text, an encoder or a decoder; see :func:`load_model`.

    Raises:
        NotDownloadedError: If it would have to be fetched and may not be.
        NotInstalledError: If it comes in a package that is not installed.
        HeadlightError: If the model cannot be found, reached or read, or is a translator.
    """
    info = model_info(name)
    if info.kind == "causal":
        return load_causal(name)
    if info.kind == "translator" or info.embedded:
        return load_encoder(name)
    return load_elsewhere(canonical_name(name), download=download, of=EITHER)


def load_causal(name: str, *, download: bool = True) -> LoadedCausal:
    """Load a decoder that writes on behind a text; see :func:`load_model`.

    Raises:
        NotDownloadedError: If it would have to be fetched and may not be.
        NotInstalledError: If it comes in a package that is not installed.
        HeadlightError: If the model cannot be found, reached or read, or is no decoder.
    """
    if name in _CAUSAL:
        return _CAUSAL[name](name)
    if is_listed(name):
        raise HeadlightError("{name} does not write on behind a text: smollm2 does.", name=name)
    loaded = load_elsewhere(canonical_name(name), download=download, of=("decoder",))
    return cast(LoadedCausal, loaded)  # as every decoder does


def load_translator(name: str) -> LoadedTranslator:
    """Load a translator, or a checkpoint of one; see :func:`load_model`.

    Raises:
        HeadlightError: If the model is none, or its files are missing or changed.
    """
    if model_info(name).kind != "translator":
        raise HeadlightError(
            "{name} does not translate: {translators} do.",
            name=name,
            translators=", ".join(TRANSLATORS),
        )
    name = canonical_name(name)
    base, step = _checkpoint(name) or (name, None)
    task = _task(base)
    network, tokenizers = (
        translation_files.translator(task, step),
        translation_files.tokenizers(task),
    )
    return LoadedTranslator(name, network, *tokenizers).hooked()


def load_encoder(name: str, *, download: bool = True) -> LoadedModel:
    """Load a model that reads a text; see :func:`load_model`.

    Raises:
        NotDownloadedError: If it would have to be fetched and may not be.
        HeadlightError: If the model cannot be found, reached or read, or is a translator.
    """
    kind = model_info(name).kind
    if kind == "translator":
        raise HeadlightError(
            "{name} reads one text and writes another. The Decoder page shows it.",
            name=name,
        )
    if kind == "causal":
        raise HeadlightError(
            "{name} is a decoder, whose tokens see no later ones. This page looks at encoders.",
            name=name,
        )
    name = canonical_name(name)
    step = checkpoint_step(name)
    if step is not None:
        return scratch.trained(name, bert_tokenizer(), step)
    if name in _LOADERS:
        return _LOADERS[name](name)
    return load_elsewhere(name, download=download, of=("encoder",))


def checkpoint_step(name: str, of: str = TRAINED) -> int | None:
    """The step in ``scratch@STEP``, or of another model of ours; None for other names."""
    checkpoint = _checkpoint(name)
    return checkpoint[1] if checkpoint is not None and checkpoint[0] == of else None


def _checkpoint(name: str) -> tuple[str, int] | None:
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
    return [moment.step for moment in translation_files.translation(_task(base)).checkpoints]


def _task(base: str) -> TaskName:
    return next(name for name in TRANSLATORS if name == base)


def bert_tokenizer() -> Tokenizer:
    """BERT's uncased WordPiece tokenizer, as it comes with the embedded model."""
    tokenizer = Tokenizer.from_file(str(hub.embedded_folder() / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    return tokenizer


def _minilm(name: str) -> LoadedModel:
    return load_folder(name, hub.embedded_folder())


def _scratch_minilm(name: str) -> LoadedModel:
    encoder = scratch.from_bert_folder(hub.embedded_folder())
    return scratch.as_loaded(name, encoder, bert_tokenizer())


def _trained(name: str) -> LoadedModel:
    return scratch.trained(name, bert_tokenizer())


def _untrained(name: str) -> LoadedModel:
    return scratch.untrained(name, bert_tokenizer())


_CAUSAL: dict[str, Callable[[str], LoadedCausal]] = {"smollm2": smollm2}

_LOADERS: dict[str, Callable[[str], LoadedModel]] = {
    TRAINED: _trained,
    "scratch-untrained": _untrained,
    "scratch-minilm": _scratch_minilm,
    "minilm": _minilm,
}
