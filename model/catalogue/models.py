"""Loading of models by catalogue name, folder or hub id."""

from typing import Literal, cast, overload

from tokenizers import Tokenizer

from model.catalogue import own_translators, scratch
from model.catalogue.causal import LoadedCausal
from model.catalogue.loaded_model import LoadedModel
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
from model.catalogue.pretrained import hub, sentiment, uncatalogued
from model.catalogue.pretrained.folder import ENCODER_OR_DECODER, load_folder
from model.catalogue.pretrained.smollm2 import smollm2
from model.catalogue.translation_files import TaskName
from model.catalogue.translator import LoadedTranslator
from model.errors import HeadlightError


# To mypy, the name of a checkpoint such as phrases@STEP is any string.
@overload
def load_model(  # type: ignore[overload-overlap]
    name: TaskName, *, download: bool = True
) -> LoadedTranslator: ...
@overload
def load_model(name: Literal["smollm2"], *, download: bool = True) -> LoadedCausal: ...
@overload
def load_model(name: str, *, download: bool = True) -> LoadedModel: ...
def load_model(name: str, *, download: bool = True) -> LoadedModel | LoadedTranslator:
    """Load a model.

    Args:
        name: A catalogue name, a hub id (owner/name, or owner/name@revision with a branch, a tag or
            a commit), a local folder, or a checkpoint of our training: ``scratch@STEP``,
            ``phrases@STEP`` or ``dates@STEP``. The model's name becomes the
            :func:`canonical_name`.
        download: Download a hub model that is not in the local cache.

    Raises:
        NotDownloadedError: If the model would have to be downloaded and ``download`` is False.
        HeadlightError: If the model cannot be found, reached or read; the sentence says why.
    """
    info = model_info(name)
    if info.kind == "translator":
        return load_translator(name)
    if info.kind == "causal" or info.embedded or is_listed(name):
        return load_reader(name, download=download)
    return uncatalogued.load_any(canonical_name(name), download=download)


def load_reader(name: str, *, download: bool = True) -> LoadedModel:
    """Load an encoder or a decoder; see :func:`load_model`.

    Args:
        name: As for :func:`load_model`.
        download: Download a hub model that is not in the local cache.

    Raises:
        NotDownloadedError: If the model would have to be downloaded and ``download`` is False.
        NotInstalledError: If it comes in a package that is not installed.
        HeadlightError: If the model cannot be found, reached or read, or is a translator.
    """
    info = model_info(name)
    if info.kind == "causal":
        return load_causal(name)
    if info.kind == "translator" or info.embedded:
        return load_encoder(name)
    return uncatalogued.load_reader(canonical_name(name), download=download, of=ENCODER_OR_DECODER)


def load_causal(name: str, *, download: bool = True) -> LoadedCausal:
    """Load a decoder that continues a text; see :func:`load_model`.

    Args:
        name: As for :func:`load_model`.
        download: Download a hub model that is not in the local cache.

    Raises:
        NotDownloadedError: If the model would have to be downloaded and ``download`` is False.
        NotInstalledError: If it comes in a package that is not installed.
        HeadlightError: If the model cannot be found, reached or read, or is not a decoder.
    """
    if name == "smollm2":
        return smollm2(name)
    if is_listed(name):
        raise HeadlightError("{name} cannot continue a text. Choose smollm2.", name=name)
    loaded = uncatalogued.load_reader(canonical_name(name), download=download, of=("decoder",))
    return cast(LoadedCausal, loaded)  # every decoder is one


def load_translator(name: str, *, download: bool = True) -> LoadedTranslator:
    """Load a translator of ours, or any encoder-decoder; see :func:`load_model`.

    Args:
        name: As for :func:`load_model`.
        download: Download a hub model that is not in the local cache.

    Raises:
        NotDownloadedError: If the model would have to be downloaded and ``download`` is False.
        HeadlightError: If the model is not a translator, or its files are missing or changed.
    """
    if model_info(name).kind == "translator":
        name = canonical_name(name)
        base, step = checkpoint_of(name) or (name, None)
        return own_translators.trained(name, task_of(base), step)
    if is_listed(name):
        raise HeadlightError(
            "{name} does not translate. Choose one of these: {translators}.",
            name=name,
            translators=", ".join(TRANSLATORS),
        )
    return uncatalogued.load_translator(canonical_name(name), download=download)


def load_encoder(name: str, *, download: bool = True) -> LoadedModel:
    """Load an encoder; see :func:`load_model`.

    Args:
        name: As for :func:`load_model`.
        download: Download a hub model that is not in the local cache.

    Raises:
        NotDownloadedError: If the model would have to be downloaded and ``download`` is False.
        HeadlightError: If the model cannot be found, reached or read, or is not an encoder.
    """
    kind = model_info(name).kind
    if kind == "translator":
        raise HeadlightError(
            "{name} reads one text and writes another. Open it on the Decoder page.",
            name=name,
        )
    if kind == "causal":
        raise HeadlightError(
            "{name} is a decoder. This page shows encoders.",
            name=name,
        )
    name = canonical_name(name)
    step = checkpoint_step(name)
    if name == TRAINED or step is not None:
        return scratch.trained(name, bert_tokenizer(), step)
    if name == "scratch-untrained":
        return scratch.untrained(name, bert_tokenizer())
    if name == "scratch-minilm":
        encoder = scratch.from_bert_folder(hub.embedded_folder())
        return scratch.as_loaded(name, encoder, bert_tokenizer())
    if name == "minilm":
        return load_folder(name, hub.embedded_folder())
    if name == "minilm-sentiment":
        return sentiment.sentiment(name)
    return uncatalogued.load_reader(name, download=download, of=("encoder",))


def bert_tokenizer() -> Tokenizer:
    """Load BERT's uncased WordPiece tokenizer from the package of the embedded model."""
    tokenizer = Tokenizer.from_file(str(hub.embedded_folder() / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    return tokenizer
