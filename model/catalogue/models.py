"""Loading of models by catalogue name, folder or hub id."""

from typing import Literal, TypedDict, Unpack, cast, overload

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
from model.catalogue.placement import CPU, Device, Dtype, Placement
from model.catalogue.pretrained import hub, sentiment, uncatalogued
from model.catalogue.pretrained.folder import ENCODER_OR_DECODER, load_folder
from model.catalogue.pretrained.smollm2 import smollm2
from model.catalogue.translation_files import TaskName
from model.catalogue.translator import LoadedTranslator
from model.errors import HeadlightError


class LoadOptions(TypedDict, total=False):
    """Options of :func:`load_model`, which describes them."""

    download: bool
    revision: str | None
    device: Device
    dtype: Dtype


# To mypy, the name of a checkpoint such as phrases@STEP is any string.
@overload
def load_model(  # type: ignore[overload-overlap]
    name: TaskName, **options: Unpack[LoadOptions]
) -> LoadedTranslator: ...
@overload
def load_model(name: Literal["smollm2"], **options: Unpack[LoadOptions]) -> LoadedCausal: ...
@overload
def load_model(name: str, **options: Unpack[LoadOptions]) -> LoadedModel: ...
def load_model(
    name: str,
    *,
    download: bool = True,
    revision: str | None = None,
    device: Device = "cpu",
    dtype: Dtype = "float32",
) -> LoadedModel | LoadedTranslator:
    """Load a model.

    Args:
        name: A catalogue name, a hub id (owner/name, or owner/name@revision with a branch, a tag or
            a commit), a local folder (also of a LoRA adapter), a GGUF file, or a checkpoint of our
            training: ``scratch@STEP``, ``phrases@STEP`` or ``dates@STEP``. The model's name becomes
            the :func:`canonical_name`.
        download: Download a hub model that is not in the local cache.
        revision: A branch, a tag or a commit of a hub model; the same as owner/name@revision.
        device: ``cpu``, ``cuda`` or ``mps``. Captures are float32 on the CPU in any case. Our
            models from scratch always run on the CPU in float32.
        dtype: ``float32``, ``bfloat16`` or ``float16``: type of the weights and the computation.

    Raises:
        NotDownloadedError: If the model would have to be downloaded and ``download`` is False.
        HeadlightError: If the model cannot be found, reached or read, or this machine lacks the
            memory or the device for it; the sentence says why.
    """
    place = Placement(device, dtype)
    name = name if revision is None else f"{name}@{revision}"
    info = model_info(name)
    if info.kind == "translator":
        return load_translator(name)
    if info.kind == "causal" or info.embedded or is_listed(name):
        return load_reader(name, download=download, place=place)
    return uncatalogued.load_any(canonical_name(name), download=download, place=place)


def load_reader(name: str, *, download: bool = True, place: Placement = CPU) -> LoadedModel:
    """Load an encoder or a decoder; see :func:`load_model`.

    Args:
        name: As for :func:`load_model`.
        download: Download a hub model that is not in the local cache.
        place: Where a model that is not from scratch runs.

    Raises:
        NotDownloadedError: If the model would have to be downloaded and ``download`` is False.
        NotInstalledError: If it comes in a package that is not installed.
        HeadlightError: If the model cannot be found, reached or read, or is a translator.
    """
    info = model_info(name)
    if info.kind == "causal":
        return load_causal(name, place=place)
    if info.kind == "translator" or info.embedded:
        return load_encoder(name, place=place)
    return uncatalogued.load_reader(
        canonical_name(name), download=download, of=ENCODER_OR_DECODER, place=place
    )


def load_causal(name: str, *, download: bool = True, place: Placement = CPU) -> LoadedCausal:
    """Load a decoder that continues a text; see :func:`load_model`.

    Args:
        name: As for :func:`load_model`.
        download: Download a hub model that is not in the local cache.
        place: Where a model that is not from scratch runs.

    Raises:
        NotDownloadedError: If the model would have to be downloaded and ``download`` is False.
        NotInstalledError: If it comes in a package that is not installed.
        HeadlightError: If the model cannot be found, reached or read, or is not a decoder.
    """
    if name == "smollm2":
        return smollm2(name, place)
    if is_listed(name):
        raise HeadlightError("{name} cannot continue a text. Choose smollm2.", name=name)
    loaded = uncatalogued.load_reader(
        canonical_name(name), download=download, of=("decoder",), place=place
    )
    return cast(LoadedCausal, loaded)  # every decoder is one


def load_translator(
    name: str, *, download: bool = True, place: Placement = CPU
) -> LoadedTranslator:
    """Load a translator of ours, or any encoder-decoder; see :func:`load_model`.

    Args:
        name: As for :func:`load_model`.
        download: Download a hub model that is not in the local cache.
        place: Where a model that is not from scratch runs.

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
    return uncatalogued.load_translator(canonical_name(name), download=download, place=place)


def load_encoder(name: str, *, download: bool = True, place: Placement = CPU) -> LoadedModel:
    """Load an encoder; see :func:`load_model`.

    Args:
        name: As for :func:`load_model`.
        download: Download a hub model that is not in the local cache.
        place: Where a model that is not from scratch runs.

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
        return load_folder(name, hub.embedded_folder(), place=place)
    if name == "minilm-sentiment":
        return sentiment.sentiment(name, place=place)
    return uncatalogued.load_reader(name, download=download, of=("encoder",), place=place)


def bert_tokenizer() -> Tokenizer:
    """Load BERT's uncased WordPiece tokenizer from the package of the embedded model."""
    tokenizer = Tokenizer.from_file(str(hub.embedded_folder() / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    return tokenizer
