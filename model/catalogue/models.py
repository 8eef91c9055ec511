"""Loading of models by catalogue name, folder or hub id."""

from copy import deepcopy
from typing import Literal, TypedDict, Unpack, cast, get_args, overload

from tokenizers import Tokenizer
from torch import nn

from model.catalogue import names, own_translators, scratch
from model.catalogue.causal import LoadedCausal
from model.catalogue.loaded_model import LoadedModel
from model.catalogue.placement import CPU, Device, Dtype, Placement
from model.catalogue.pretrained import hub
from model.catalogue.translation_files import TaskName
from model.catalogue.translator import LoadedTranslator
from model.errors import HeadlightError
from model.transformer.encoder import Encoder

# Functions that need transformers' networks import them: they take longer than torch itself.

ANY: tuple[names.ModelKind, ...] = get_args(names.ModelKind)
READERS: tuple[names.ModelKind, ...] = ("encoder", "causal")


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
@overload
def load_model(name: Encoder, tokenizer: Tokenizer) -> LoadedModel: ...
@overload
def load_model(name: nn.Module, tokenizer: object) -> LoadedModel | LoadedTranslator: ...
def load_model(
    name: str | nn.Module,
    tokenizer: object = None,
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
            the :func:`canonical_name`. Or a network in memory: a model of transformers or an
            :class:`Encoder`, on its own device and in its own numbers. The loaded model is a copy
            named after its class. Later changes of the network do not reach it.
        tokenizer: The fast tokenizer of a network in memory, of transformers or tokenizers.
        download: Download a hub model that is not in the local cache.
        revision: A branch, a tag or a commit of a hub model; the same as owner/name@revision.
        device: ``cpu``, ``cuda`` or ``mps``. Captures are float32 on the CPU in any case. Our
            models from scratch run on the CPU in float32 alone.
        dtype: ``float32``, ``bfloat16`` or ``float16``: type of the weights and the computation.

    Raises:
        NotDownloadedError: If the model would have to be downloaded and ``download`` is False.
        HeadlightError: If the model cannot be found, reached or read, or this machine lacks the
            memory or the device for it; the sentence says why.
    """
    place = Placement(device, dtype)
    if not isinstance(name, str):
        if place != CPU or revision is not None:
            raise HeadlightError(
                "A network in memory stays where it is. Leave out device, dtype and revision."
            )
        return _in_memory(name, tokenizer)
    if place != CPU and names.model_info(name).from_scratch:
        raise HeadlightError(
            "{model} runs on the CPU in float32 alone. Leave out device and dtype.", model=name
        )
    name = name if revision is None else f"{name}@{revision}"
    return load_kind(name, ANY, download=download, place=place)


def _in_memory(network: object, tokenizer: object) -> LoadedModel | LoadedTranslator:
    if isinstance(network, Encoder) and isinstance(tokenizer, Tokenizer):
        return scratch.as_loaded("Encoder", deepcopy(network), deepcopy(tokenizer))
    from model.catalogue.pretrained import loader

    return loader.load_module_in_memory(network, tokenizer)


def load_kind(
    name: str, of: tuple[names.ModelKind, ...], *, download: bool = True, place: Placement = CPU
) -> LoadedModel | LoadedTranslator:
    """Load a model of one of several kinds; see :func:`load_model`."""
    from model.catalogue.pretrained import loader

    if not names.is_listed(name):
        return loader.load(names.canonical_name(name), of, download=download, place=place)
    kind = names.model_info(name).kind
    loader.check_kind(name, kind, of)
    name = names.canonical_name(name)
    if kind == "translator":
        base, step = names.checkpoint_of(name) or (name, None)
        return own_translators.trained(name, names.task_of(base), step)
    if kind == "causal":
        from model.catalogue.pretrained.smollm2 import smollm2

        return smollm2(name, place)
    return _encoder(name, download, place)


def _encoder(name: str, download: bool, place: Placement) -> LoadedModel:
    step = names.checkpoint_step(name)
    if name == names.TRAINED or step is not None:
        return scratch.trained(name, bert_tokenizer(), step)
    if name == "scratch-untrained":
        return scratch.untrained(name, bert_tokenizer())
    if name == "scratch-minilm":
        encoder = scratch.from_bert_folder(hub.embedded_folder())
        return scratch.as_loaded(name, encoder, bert_tokenizer())
    from model.catalogue.pretrained import loader, sentiment

    if name == "minilm":
        return cast(LoadedModel, loader.load_folder(name, hub.embedded_folder(), place=place))
    if name == "minilm-sentiment":
        return sentiment.sentiment(name, place=place)
    loaded = loader.load(name, READERS, download=download, place=place)
    return cast(LoadedModel, loaded)


def load_reader(name: str, *, download: bool = True, place: Placement = CPU) -> LoadedModel:
    """Load an encoder or a decoder; see :func:`load_kind`."""
    return cast(LoadedModel, load_kind(name, READERS, download=download, place=place))


def load_translator(
    name: str, *, download: bool = True, place: Placement = CPU
) -> LoadedTranslator:
    """Load a translator of ours, or any encoder-decoder; see :func:`load_kind`."""
    return cast(LoadedTranslator, load_kind(name, ("translator",), download=download, place=place))


def bert_tokenizer() -> Tokenizer:
    """Load BERT's uncased WordPiece tokenizer from the package of the embedded model."""
    tokenizer = Tokenizer.from_file(str(hub.embedded_folder() / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    return tokenizer
