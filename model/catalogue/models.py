"""How each model of the catalogue is loaded, and any other by its folder or hub id."""

from collections.abc import Callable
from typing import Literal, cast, overload

from tokenizers import Tokenizer

from model.catalogue import own_translators, scratch
from model.catalogue.causal import LoadedCausal
from model.catalogue.loaded import LoadedModel
from model.catalogue.names import (
    TRAINED,
    TRANSLATORS,
    canonical_name,
    checkpoint_of,
    checkpoint_step,
    is_listed,
    model_info,
    task_of,
)
from model.catalogue.pretrained import elsewhere, hub
from model.catalogue.pretrained.folder import EITHER, load_folder
from model.catalogue.pretrained.smollm2 import smollm2
from model.catalogue.translation_files import TaskName
from model.catalogue.translator import LoadedTranslator
from model.errors import HeadlightError


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
    info = model_info(name)
    if info.kind == "translator":
        return load_translator(name)
    if info.kind == "causal" or info.embedded or is_listed(name):
        return load_reader(name, download=download)
    return elsewhere.load_whatever_it_is(canonical_name(name), download=download)


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
    return elsewhere.load_elsewhere(canonical_name(name), download=download, of=EITHER)


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
    loaded = elsewhere.load_elsewhere(canonical_name(name), download=download, of=("decoder",))
    return cast(LoadedCausal, loaded)  # as every decoder does


def load_translator(name: str, *, download: bool = True) -> LoadedTranslator:
    """Load a translator of ours, or any encoder-decoder; see :func:`load_model`.

    Raises:
        NotDownloadedError: If it would have to be fetched and may not be.
        HeadlightError: If the model is none, or its files are missing or changed.
    """
    if model_info(name).kind == "translator":
        name = canonical_name(name)
        base, step = checkpoint_of(name) or (name, None)
        return own_translators.trained(name, task_of(base), step)
    if is_listed(name):
        raise HeadlightError(
            "{name} does not translate: {translators} do.",
            name=name,
            translators=", ".join(TRANSLATORS),
        )
    return elsewhere.load_translator_elsewhere(canonical_name(name), download=download)


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
    return elsewhere.load_elsewhere(name, download=download, of=("encoder",))


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
