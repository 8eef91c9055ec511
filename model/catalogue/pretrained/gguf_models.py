"""Decoders from GGUF files, which transformers reads.

transformers leaves out some settings of a file without a word. They are set here, or the file is
refused. Quantised weights are decoded, so they are not the trained ones.
"""

import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import torch
from tokenizers import Tokenizer, decoders, normalizers, pre_tokenizers, processors
from torch import nn
from transformers import (
    AutoConfig,
    AutoModelForCausalLM,
    AutoTokenizer,
    PretrainedConfig,
    PreTrainedModel,
    PreTrainedTokenizerFast,
)

from model.catalogue.causal import LoadedCausal
from model.catalogue.placement import CPU, Placement
from model.catalogue.pretrained import gguf_file, size_limits
from model.catalogue.pretrained.attention_layers import find_layers
from model.catalogue.pretrained.checkpoint import check_keys, check_vocabulary
from model.catalogue.pretrained.decoders import as_causal
from model.catalogue.pretrained.gguf_file import GgufFile
from model.errors import HeadlightError, Items

ARCHITECTURES = ("llama", "qwen2", "qwen3", "gpt2")
"""Architectures whose files are compared with their originals in the tests."""

SETTINGS = (
    *("context_length", "embedding_length", "block_count", "feed_forward_length", "vocab_size"),
    *("attention.head_count", "attention.head_count_kv", "attention.key_length"),
    *("attention.value_length", "attention.layer_norm_epsilon"),
    *("attention.layer_norm_rms_epsilon", "rope.freq_base", "rope.dimension_count"),
    *("rope.scaling.type", "rope.scaling.factor", "rope.scale_linear", "rope.scaling.finetuned"),
    *("rope.scaling.original_context_length", "tensor_data_layout", "pooling_type"),
)
"""Settings of an architecture that are read here or by transformers, or change no attention."""

LLAMA3 = ("llama-bpe", "llama3", "llama-v3")
WORDS = ("gpt-2", *LLAMA3, "qwen2", "deepseek-r1-qwen")
"""What cuts a text into words (tokenizer.ggml.pre), as far as transformers follows it."""

ROTATION_FACTORS = "rope_freqs.weight"
"""Divisors of Llama 3.1's rotation frequencies; not a weight of the model."""


def file_in(path: Path) -> Path | None:
    """Return the GGUF file of a path: itself, or that of a folder without a config.json.

    Of a file in parts, which is refused, it is the first part. Ollama's files have no ending.
    """
    if os.path.isfile(path):
        return path
    found = [] if os.path.exists(path / "config.json") else sorted(path.glob("*.gguf"))
    files = [*filter(os.path.isfile, found)]
    return files[0] if len(files) == 1 or any("-00001-of-" in f.name for f in files[:1]) else None


def load_gguf(name: str, path: Path, place: Placement = CPU) -> LoadedCausal:
    """Load a decoder from a file."""
    file = gguf_file.read(name, path)
    _check_supported(name, file)
    size_limits.check_memory(name, file.n_weights, place)
    try:
        config = _config(name, path, file)
        tokenizer = _tokenizer(path, file.settings)
    except HeadlightError:
        raise
    except Exception as error:  # a setting is missing, or has another type
        raise HeadlightError(
            "The settings in the GGUF file of {name} cannot be read.", name=name
        ) from error
    check_vocabulary(name, tokenizer.backend_tokenizer, config.vocab_size)
    module = _module(name, path, file, config, place)
    model = as_causal(name, module, tokenizer, find_layers(name, module, "causal", place))
    return replace(model, quantisation=file.quantisation)


def _check_supported(name: str, file: GgufFile) -> None:
    """Refuse what transformers does not read, or reads in another way than llama.cpp."""
    declared = file.settings
    model_type = str(declared.get("general.architecture"))
    if declared.get("split.count", 0) > 1:
        raise HeadlightError(
            "{name} is one of {n_parts} parts of a GGUF file. Merge them with llama-gguf-split "
            "--merge.",
            name=name,
            n_parts=declared["split.count"],
        )
    _check_value(name, "general.architecture", model_type, ARCHITECTURES)
    start = f"{model_type}."
    own = [key for key in declared if key.startswith(start)]
    if other := [key for key in own if key.removeprefix(start) not in SETTINGS]:
        raise HeadlightError(
            "The GGUF file of {name} sets {setting}, which Headlight does not read. Choose the "
            "original model with safetensors.",
            name=name,
            setting=other[0],
        )
    kind = str(declared.get("tokenizer.ggml.model"))
    _check_value(name, "tokenizer.ggml.model", kind, ("llama", "gpt2"))
    if kind == "gpt2":
        default = "gpt-2" if model_type == "gpt2" else "default"
        words = str(declared.get("tokenizer.ggml.pre", default))
        _check_value(name, "tokenizer.ggml.pre", words, WORDS)


def _check_value(name: str, setting: str, value: object, known: Sequence[object]) -> None:
    if value not in known:
        raise HeadlightError(
            "The GGUF file of {name} sets {setting} = {value}. Headlight reads {known}. Choose the "
            "original model with safetensors.",
            name=name,
            setting=setting,
            value=str(value),
            known=Items(known),
        )


def _config(name: str, path: Path, file: GgufFile) -> PretrainedConfig:
    """Read the configuration; its sizes are limited as those of a config.json."""
    model_type = file.settings["general.architecture"]
    declared = {key.removeprefix(f"{model_type}."): value for key, value in file.settings.items()}
    size_limits.check_counts(name, {"num_hidden_layers": declared["block_count"]})
    config: PretrainedConfig = AutoConfig.from_pretrained(
        path.parent, gguf_file=path.name, local_files_only=True, trust_remote_code=False
    )
    # transformers leaves out these settings.
    config.max_position_embeddings = declared["context_length"]
    if "attention.key_length" in declared:
        config.head_dim = declared["attention.key_length"]
    width = getattr(config, "head_dim", None) or config.hidden_size // config.num_attention_heads
    for setting in ("rope.dimension_count", "attention.value_length"):
        _check_value(name, setting, declared.get(setting, width), [width])
    if model_type == "gpt2":
        config.n_inner = declared["feed_forward_length"]
    else:
        config.rope_parameters = _rotation(name, declared)
    size_limits.check_heads(name, config)
    return config


def _rotation(name: str, declared: dict[str, Any]) -> dict[str, Any]:
    """Read the rotary positions; as in llama.cpp, a factor without a type is linear."""
    theta = declared.get("rope.freq_base", 10_000.0)
    factor = declared.get("rope.scaling.factor", declared.get("rope.scale_linear", 1.0))
    kind = declared.get("rope.scaling.type", "linear")
    _check_value(name, "rope.scaling.type", kind, ("none", "linear"))
    if kind == "none" or factor in (0.0, 1.0):
        return {"rope_type": "default", "rope_theta": theta}
    return {"rope_type": "linear", "rope_theta": theta, "factor": factor}


def _tokenizer(path: Path, declared: dict[str, Any]) -> PreTrainedTokenizerFast:
    load: Any = AutoTokenizer.from_pretrained
    tokenizer: PreTrainedTokenizerFast = load(
        path.parent, gguf_file=path.name, local_files_only=True, trust_remote_code=False
    )
    backend, words = tokenizer.backend_tokenizer, declared.get("tokenizer.ggml.pre")
    if words in LLAMA3:
        # Llama 3 takes a whole word that is a token, even if no merges lead to it.
        backend.model.ignore_merges = True
    if declared["tokenizer.ggml.model"] == "llama":
        # As in llama.cpp, a space before each text, also before one that begins with a space.
        prefix = declared.get("tokenizer.ggml.add_space_prefix", True)
        backend.normalizer = normalizers.Prepend("▁") if prefix else None
        backend.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme="never", split=False)
        parts = [decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse()]
        backend.decoder = decoders.Sequence(parts + [decoders.Strip(" ", 1, 0)] * bool(prefix))
    by_default = words in LLAMA3 or declared["tokenizer.ggml.model"] == "llama"
    _add_ends(backend, declared, begin=declared.get("tokenizer.ggml.add_bos_token", by_default))
    return tokenizer


def _add_ends(backend: Tokenizer, declared: dict[str, Any], begin: bool) -> None:
    """Set the template: a begin token, if the model has one before each text, and an end token."""
    pieces = declared["tokenizer.ggml.tokens"]
    ends = declared.get("tokenizer.ggml.add_eos_token", False)
    first = [declared["tokenizer.ggml.bos_token_id"]] if begin else []
    last = [declared["tokenizer.ggml.eos_token_id"]] if ends else []
    backend.post_processor = processors.TemplateProcessing(
        [*(pieces[id_] for id_ in first), "$A", *(pieces[id_] for id_ in last)],
        special_tokens=[(pieces[id_], id_) for id_ in (*first, *last)],
    )


def _module(
    name: str, path: Path, file: GgufFile, config: PretrainedConfig, place: Placement
) -> PreTrainedModel:
    """Load the network with the weights of a file, all of them."""
    n_weights = sum(
        tensor.n_weights for key, tensor in file.tensors.items() if key != ROTATION_FACTORS
    )
    if size_limits.required_weights(name, config, AutoModelForCausalLM) > 2 * n_weights:
        raise size_limits.unreadable(name)
    load: Any = AutoModelForCausalLM.from_pretrained  # untyped in transformers
    try:
        module, report = load(
            path.parent,
            gguf_file=path.name,
            config=config,
            attn_implementation="eager",
            dtype=place.torch_dtype,
            local_files_only=True,
            trust_remote_code=False,
            output_loading_info=True,
        )
        if (factors := file.tensors.get(ROTATION_FACTORS)) is not None:
            module.model.rotary_emb.inv_freq /= torch.from_numpy(factors.decode())  # (K/2,)
    except NotImplementedError as error:
        raise HeadlightError(
            "Headlight cannot decode the weights of {name}, which are quantised as {type_}. Choose "
            "another file of the model, such as Q8_0.",
            name=name,
            type_=file.quantisation,
        ) from error
    except Exception as error:  # other shapes, unknown parts
        raise size_limits.unreadable(name) from error
    check_keys(name, sorted(report["missing_keys"]), report["unexpected_keys"])
    if sum(weight.numel() for weight in module.parameters()) != n_weights:
        raise HeadlightError(
            "The GGUF file of {name} has weights for which transformers has no place in a model of "
            "type {model_type}. Choose the original model with safetensors.",
            name=name,
            model_type=config.model_type,
        )
    on_device: PreTrainedModel = nn.Module.to(module, place.device)
    return on_device
