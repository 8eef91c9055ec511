"""Loading of models from a folder or from the hub."""

import os
from collections.abc import Callable, Mapping
from copy import deepcopy
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_args

import torch
from torch import nn
from transformers import (
    CONFIG_MAPPING,
    AutoModelForCausalLM,
    AutoModelForMultimodalLM,
    AutoModelForSeq2SeqLM,
    PretrainedConfig,
    PreTrainedModel,
    PreTrainedTokenizerFast,
)
from transformers.models.auto.modeling_auto import MODEL_FOR_MULTIMODAL_LM_MAPPING_NAMES

from model.catalogue.loaded_model import LoadedModel
from model.catalogue.names import TRANSLATORS, ModelKind, canonical_name
from model.catalogue.placement import CPU, Placement
from model.catalogue.pretrained import checkpoint, hub
from model.catalogue.pretrained.adapters import base_name, is_adapter, merge
from model.catalogue.pretrained.attention_layers import AttentionLayers, find_layers
from model.catalogue.pretrained.decoders import LANGUAGE_HEADS, as_causal
from model.catalogue.pretrained.encoder_decoders import (
    as_translator,
    check_encoder_decoder,
    translator_tokenizers,
)
from model.catalogue.pretrained.encoders import AUTO_CLASSES, as_encoder, task_head
from model.catalogue.pretrained.families import FAMILIES
from model.catalogue.pretrained.gguf_models import file_in, load_gguf
from model.catalogue.pretrained.size_limits import check_heads, check_memory, required_weights
from model.catalogue.translator import LoadedTranslator
from model.errors import HeadlightError, Items

ANY: tuple[ModelKind, ...] = get_args(ModelKind)
BIDIRECTIONAL = ("xlnet",)
"""Types with a language head whose tokens see later ones: XLNet's is for permuted texts."""


def load(
    name: str, of: tuple[ModelKind, ...] = ANY, *, download: bool, place: Placement = CPU
) -> LoadedModel | LoadedTranslator:
    """Load a model by a path, or by owner/name on the hub."""
    path = _located(name, download, place)
    if (file := file_in(path)) is not None:
        check_kind(name, "causal", of)
        return load_gguf(name, file, place)
    if not is_adapter(path):
        return load_folder(name, path, of, place)
    base = canonical_name(base_name(name, path))
    try:
        base_path = _located(base, download, place)
    except HeadlightError as error:
        raise HeadlightError(
            "{name} is an adapter (LoRA) of {base}, which is not on this machine. Open {base} "
            "first, or write its folder into base_model_name_or_path of the adapter_config.json.",
            name=name,
            base=base,
        ) from error
    plan = read_plan(base, base_path, of)
    original = checkpoint.load_module(base, base_path, plan.config, plan.auto_class, place)
    module = merge(name, path, base, original, place)
    has_tokenizer = any(any(path.glob(pattern)) for pattern in checkpoint.TOKENIZER_FILES)
    return _loaded(name, path if has_tokenizer else base_path, plan, module, place)


def load_folder(
    name: str, folder: Path, of: tuple[ModelKind, ...] = ANY, place: Placement = CPU
) -> LoadedModel | LoadedTranslator:
    """Load a model from a folder that ``save_pretrained`` wrote."""
    plan = read_plan(name, folder, of)
    module = checkpoint.load_module(name, folder, plan.config, plan.auto_class, place)
    return _loaded(name, folder, plan, module, place)


def _loaded(
    name: str, folder: Path, plan: "Plan", module: PreTrainedModel, place: Placement
) -> LoadedModel | LoadedTranslator:
    """Find the attention of a network, and read its tokenizer in a folder."""
    layers = find_layers(name, module, plan.kind, place)
    if plan.kind == "translator":
        return as_translator(name, translator_tokenizers(name, folder, module), module, layers)
    return _reader(name, plan, module, checkpoint.load_tokenizer(name, folder, module), layers)


def load_module_in_memory(module: object, tokenizer: object) -> LoadedModel | LoadedTranslator:
    """Open a copy of a network in memory; see :func:`model.catalogue.models.load_model`."""
    name = type(module).__name__
    if not isinstance(module, PreTrainedModel):
        raise HeadlightError(
            "load_model opens a name, or a model of transformers or an Encoder with its tokenizer, "
            "but not a {kind}.",
            kind=name,
        )
    if hasattr(module, "peft_config"):
        raise HeadlightError(
            "{name} has adapters that are not merged. Merge them: merge_and_unload() of peft.",
            name=name,
        )
    declared = {**module.config.to_dict(), "architectures": [name]}
    checkpoint.check_quantisation(name, declared)
    place = Placement(module.device.type, str(module.dtype).removeprefix("torch."))  # type: ignore[arg-type]
    check_memory(name, module.num_parameters(), place)
    module = deepcopy(module)  # the caller's may be trained further
    nn.Module.eval(module)
    config = checkpoint.run_plainly(module.config)
    config.architectures, config.name_or_path = [name], ""
    module.set_attn_implementation("eager")
    plan = _plan(name, lambda: config, declared, ANY)
    layers = find_layers(name, module, plan.kind, place)
    fast = checkpoint.fast_tokenizer(name, tokenizer, module)
    if plan.kind == "translator":
        backend = fast.backend_tokenizer
        return as_translator(name, (backend, backend, backend, None), module, layers)
    return _reader(name, plan, module, fast, layers)


def _reader(
    name: str,
    plan: "Plan",
    module: PreTrainedModel,
    tokenizer: PreTrainedTokenizerFast,
    layers: AttentionLayers,
) -> LoadedModel:
    if plan.kind == "causal":
        return as_causal(name, module, tokenizer, layers)
    return as_encoder(name, module, tokenizer, plan.head, layers)


@dataclass(frozen=True)
class Plan:
    """What a config.json says about the loading of a model."""

    config: PretrainedConfig
    kind: ModelKind
    head: str
    auto_class: Any


def read_plan(name: str, folder: Path, of: tuple[ModelKind, ...] = ANY) -> Plan:
    """Read and check the config.json of a model."""
    declared = checkpoint.read_config(name, folder)
    return _plan(name, lambda: checkpoint.load_config(name, folder, declared), declared, of)


def _plan(
    name: str,
    read: Callable[[], PretrainedConfig],
    declared: Mapping[str, Any],
    of: tuple[ModelKind, ...],
) -> Plan:
    """Check what a configuration says; it is read once its type is known to be safe."""
    model_type, kind = declared["model_type"], _declared_kind(declared)
    if model_type not in CONFIG_MAPPING:
        raise HeadlightError(
            "{name} is a model of type {model_type}, which transformers does not know. "
            "Correct model_type in its config.json, or choose another model.",
            name=name,
            model_type=model_type,
        )
    check_kind(name, kind, of)
    config = read()
    if kind == "translator":
        check_encoder_decoder(name, config)
        return Plan(config, kind, "", AutoModelForSeq2SeqLM)
    if getattr(config, "add_cross_attention", False):
        raise HeadlightError(
            "{name} needs an encoder (add_cross_attention in its config.json). Choose the "
            "complete model.",
            name=name,
        )
    head = "" if kind == "causal" else task_head(name, config)
    causal = AutoModelForMultimodalLM if _has_text_half(declared) else AutoModelForCausalLM
    plan = Plan(config, kind, head, causal if kind == "causal" else AUTO_CLASSES[head])
    if model_type not in FAMILIES:
        _check_reads_text(name, plan)
    check_heads(name, config.get_text_config())
    return plan


def _declared_kind(declared: Mapping[str, Any]) -> ModelKind:
    """What a model does by its config.json: a language head makes it a decoder that writes."""
    model_type = declared["model_type"]
    if model_type in CONFIG_MAPPING:  # its get() knows no type
        by_default = getattr(CONFIG_MAPPING[model_type], "is_encoder_decoder", False)
        if declared.get("is_encoder_decoder", by_default):
            return "translator"
    if _has_text_half(declared):
        return "causal"
    architectures = declared.get("architectures")
    known = FAMILIES[model_type].kind if model_type in FAMILIES else None
    # BERT's language head sees later tokens, unless it was trained as a decoder.
    if known and (not architectures or (known == "encoder" and not declared.get("is_decoder"))):
        return known
    saved_as = str(architectures[0]) if isinstance(architectures, list) and architectures else ""
    causal = saved_as.endswith(LANGUAGE_HEADS) and model_type not in BIDIRECTIONAL
    return "causal" if causal else "encoder"


def check_kind(name: str, kind: ModelKind, of: tuple[ModelKind, ...]) -> None:
    """Refuse a model of a kind that the caller cannot use."""
    if kind in of:
        return
    if kind == "translator":
        raise HeadlightError(
            "{name} reads one text and writes another. Open it on the Decoder page.", name=name
        )
    raise HeadlightError(
        "{name} does not translate. Choose one of these: {translators}.",
        name=name,
        translators=Items((*TRANSLATORS, "T5", "BART")),
    )


def _has_text_half(declared: Mapping[str, Any]) -> bool:
    """Whether a model reads text beside images or sound, which it then does not get here."""
    return declared["model_type"] in MODEL_FOR_MULTIMODAL_LM_MAPPING_NAMES and isinstance(
        declared.get("text_config"), dict
    )


def _check_reads_text(name: str, plan: Plan) -> None:
    """Refuse a type of model without attention heads, and one that reads no text."""
    config = plan.config
    counts = ("num_hidden_layers", "num_attention_heads", "hidden_size")
    text = config.get_text_config()
    if not all(isinstance(getattr(text, count, None), int) for count in counts):
        raise HeadlightError(
            "{name} is a model of type {model_type} and has no attention heads, so there is "
            "nothing to show.",
            name=name,
            model_type=config.model_type,
        )
    try:
        with torch.device("meta"):
            module = plan.auto_class.from_config(deepcopy(config))
    except Exception as error:  # no such model of this type, or settings that contradict
        if not config.architectures:  # the type has several base models
            raise HeadlightError(
                "The config.json of {name} does not name the class of the model. Write it into "
                "architectures.",
                name=name,
            ) from error
        raise HeadlightError("The config.json of {name} cannot be read.", name=name) from error
    if module.main_input_name != "input_ids":
        raise checkpoint.not_text(name, config)


def download_checked(
    name: str,
    on_progress: Callable[[int, int], None] = lambda done, total: None,
    place: Placement = CPU,
) -> Path:
    """Download a hub model, after a check of its type and size."""

    def check(folder: Path) -> None:
        plan = read_plan(name, folder)  # config.json is the only file in the folder
        check_memory(name, required_weights(name, plan.config, plan.auto_class), place)

    return hub.download(name, on_progress, check=check)


def _located(name: str, download: bool, place: Placement) -> Path:
    # Unlike Path.is_dir, os.path.isdir is False for "" and for strings that are not paths.
    if os.path.isdir(name) or os.path.isfile(name):
        return Path(name)
    if os.path.isabs(name):
        raise HeadlightError(
            "There is no folder or GGUF file {name} on the server's machine.", name=name
        )
    try:
        return hub.downloaded_folder(name)
    except hub.NotDownloadedError:
        if not download:
            raise
        return download_checked(name, place=place)
