"""Decoders from GGUF files: Llama, Qwen2 and GPT-2.

The weights are those of the file. Quantised ones are decoded to 32 bits, so they are not the
trained ones.

Axes: H heads, K d_head, D d_model.
"""

import os
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn
from transformers import (
    CONFIG_MAPPING,
    MODEL_FOR_CAUSAL_LM_MAPPING,
    AutoModelForCausalLM,
    PretrainedConfig,
    PreTrainedModel,
)

from model.catalogue.causal import LoadedCausal
from model.catalogue.placement import CPU, Placement
from model.catalogue.pretrained import gguf_file, gguf_tokenizers
from model.catalogue.pretrained.attention_layers import find_layers
from model.catalogue.pretrained.checkpoint import check_keys, check_vocabulary
from model.catalogue.pretrained.decoders import as_causal
from model.catalogue.pretrained.gguf_file import GgufFile, GgufTensor
from model.catalogue.pretrained.size_limits import (
    check_counts,
    check_heads,
    check_memory,
    required_weights,
    unreadable,
)
from model.errors import HeadlightError

ENDING = ".gguf"

LLAMA_PARTS = {
    "token_embd": "model.embed_tokens",
    "output_norm": "model.norm",
    "output": "lm_head",
    "attn_norm": "input_layernorm",
    "attn_q": "self_attn.q_proj",
    "attn_k": "self_attn.k_proj",
    "attn_v": "self_attn.v_proj",
    "attn_output": "self_attn.o_proj",
    "ffn_norm": "post_attention_layernorm",
    "ffn_gate": "mlp.gate_proj",
    "ffn_up": "mlp.up_proj",
    "ffn_down": "mlp.down_proj",
}
GPT2_PARTS = {
    "token_embd": "transformer.wte",
    "position_embd": "transformer.wpe",
    "output_norm": "transformer.ln_f",
    "output": "lm_head",
    "attn_norm": "ln_1",
    "attn_qkv": "attn.c_attn",
    "attn_output": "attn.c_proj",
    "ffn_norm": "ln_2",
    "ffn_up": "mlp.c_fc",
    "ffn_down": "mlp.c_proj",
}
"""Parts of a model, by their names in GGUF and in transformers."""

LLAMA_SETTINGS = {
    "hidden_size": "embedding_length",
    "intermediate_size": "feed_forward_length",
    "num_hidden_layers": "block_count",
    "num_attention_heads": "attention.head_count",
    "max_position_embeddings": "context_length",
    "rms_norm_eps": "attention.layer_norm_rms_epsilon",
}
GPT2_SETTINGS = {
    "n_embd": "embedding_length",
    "n_inner": "feed_forward_length",
    "n_layer": "block_count",
    "n_head": "attention.head_count",
    "n_positions": "context_length",
    "layer_norm_epsilon": "attention.layer_norm_epsilon",
}
"""Settings of transformers, and their names in GGUF after the architecture's."""

ROTATION_FACTORS = "rope_freqs.weight"
"""Divisors of Llama 3.1's rotation frequencies; not a weight of the model."""


@dataclass(frozen=True)
class Architecture:
    """How GGUF stores the models of a type.

    Attributes:
        layers: Path of the layers in transformers.
        parts: Parts of a model, by their names in GGUF and in transformers.
        settings: Names of its settings.
        pairs: Whether the rows of q and k that a rotation pairs are neighbours.
        transposed: Whether transformers stores matrices as (inputs, outputs).
    """

    layers: str
    parts: dict[str, str]
    settings: dict[str, str]
    pairs: bool = False
    transposed: bool = False


ARCHITECTURES = {
    "llama": Architecture("model.layers", LLAMA_PARTS, LLAMA_SETTINGS, pairs=True),
    "qwen2": Architecture("model.layers", LLAMA_PARTS, LLAMA_SETTINGS),
    "gpt2": Architecture("transformer.h", GPT2_PARTS, GPT2_SETTINGS, transposed=True),
}
"""By GGUF's name, which is the model_type of transformers too."""


def file_in(path: Path) -> Path | None:
    """Return the GGUF file of a path: itself, or the only one in a folder without a config.json.

    Args:
        path: A file or a folder.
    """
    if path.suffix == ENDING:
        return path
    files = [] if os.path.exists(path / "config.json") else list(path.glob(f"*{ENDING}"))
    return files[0] if len(files) == 1 else None


def load_gguf(name: str, path: Path, place: Placement = CPU) -> LoadedCausal:
    """Load a decoder from a file.

    Args:
        name: Name of the loaded model.
        path: Path of the file.
        place: Where it runs.

    Raises:
        HeadlightError: If the file is damaged, its architecture, its quantisation or its tokenizer
            is not supported, or it is too large.
    """
    file = gguf_file.read(name, path)
    declared = file.settings
    model_type = str(declared.get("general.architecture"))
    experts = " with experts" if declared.get(f"{model_type}.expert_count") else ""
    if model_type not in ARCHITECTURES or experts:
        raise HeadlightError(
            "The GGUF file of {name} holds a model of architecture {model_type}. Headlight reads "
            "these: {known}. Choose the original model with safetensors.",
            name=name,
            model_type=model_type + experts,
            known=", ".join(ARCHITECTURES),
        )
    try:
        config = _config(name, model_type, file)
        tokenizer = gguf_tokenizers.tokenizer(name, declared)
    except HeadlightError:
        raise
    except Exception as error:  # a setting is missing, or has another type
        raise HeadlightError(
            "The settings in the GGUF file of {name} cannot be read.", name=name
        ) from error
    check_vocabulary(name, tokenizer.backend_tokenizer, config.vocab_size)
    module = _module(name, model_type, file, config, place)
    model = as_causal(name, module, tokenizer, find_layers(name, module, "causal", place))
    return replace(model, quantisation=file.quantisation)


def _config(name: str, model_type: str, file: GgufFile) -> PretrainedConfig:
    """Build the configuration; its sizes are limited as those of a config.json."""
    declared = {key.removeprefix(f"{model_type}."): value for key, value in file.settings.items()}
    settings = {
        setting: declared[key] for setting, key in ARCHITECTURES[model_type].settings.items()
    }
    settings["vocab_size"] = file.tensors["token_embd.weight"].shape[0]
    settings["tie_word_embeddings"] = "output.weight" not in file.tensors
    for token, key in (("bos", "bos"), ("eos", "eos"), ("pad", "padding")):
        settings[f"{token}_token_id"] = declared.get(f"tokenizer.ggml.{key}_token_id")
    if model_type != "gpt2":
        settings["num_key_value_heads"] = declared.get(
            "attention.head_count_kv", settings["num_attention_heads"]
        )
        settings["rope_parameters"] = _rotation(name, declared)
        if (d_head := declared.get("attention.key_length")) is not None:
            settings["head_dim"] = d_head
    if model_type == "llama":
        settings["attention_bias"] = "blk.0.attn_q.bias" in file.tensors
        settings["mlp_bias"] = "blk.0.ffn_up.bias" in file.tensors
    check_counts(name, settings)
    config: PretrainedConfig = CONFIG_MAPPING[model_type](**settings)
    check_heads(name, config)
    return config


def _rotation(name: str, declared: dict[str, Any]) -> dict[str, Any]:
    theta = declared.get("rope.freq_base", 10_000.0)
    kind = declared.get("rope.scaling.type", "none")
    if kind == "linear":
        return {
            "rope_type": "linear",
            "rope_theta": theta,
            "factor": declared["rope.scaling.factor"],
        }
    if kind != "none":
        raise HeadlightError(
            "The GGUF file of {name} scales its rotary positions by the method {kind}. Headlight "
            "reads none and linear.",
            name=name,
            kind=kind,
        )
    return {"rope_type": "default", "rope_theta": theta}


def _module(
    name: str, model_type: str, file: GgufFile, config: PretrainedConfig, place: Placement
) -> PreTrainedModel:
    """Build the network with the weights of a file."""
    architecture, stored = ARCHITECTURES[model_type], dict(file.tensors)
    factors = stored.pop(ROTATION_FACTORS, None)
    check_memory(name, file.n_weights, place)
    if required_weights(name, config, AutoModelForCausalLM) > 2 * file.n_weights:
        raise unreadable(name)
    try:
        weights = {
            _name(key, architecture): _weights(key, tensor, architecture, config)
            for key, tensor in stored.items()
        }
        model_class: Any = MODEL_FOR_CAUSAL_LM_MAPPING[type(config)]
        module, report = model_class.from_pretrained(
            None,
            config=config,
            state_dict=weights,
            attn_implementation="eager",
            dtype=place.torch_dtype,
            output_loading_info=True,
        )
        if factors is not None:
            module.model.rotary_emb.inv_freq /= torch.from_numpy(factors.decode())  # (K/2,)
    except NotImplementedError as error:
        raise HeadlightError(
            "Headlight cannot decode the weights of {name}, which are quantised as {type_}. Choose "
            "another file of the model, such as Q8_0.",
            name=name,
            type_=file.quantisation,
        ) from error
    except Exception as error:  # unknown parts, other shapes
        raise unreadable(name) from error
    check_keys(name, sorted(report["missing_keys"]), report["unexpected_keys"])
    on_device: PreTrainedModel = nn.Module.to(module, place.device)
    return on_device


def _name(key: str, architecture: Architecture) -> str:
    """Translate a name such as ``blk.7.attn_q.weight`` to transformers."""
    *block, part, kind = key.split(".")
    where = f"{architecture.layers}.{block[1]}." if block else ""
    return f"{where}{architecture.parts[part]}.{kind}"


def _weights(
    key: str, tensor: GgufTensor, architecture: Architecture, config: PretrainedConfig
) -> Tensor:
    """Decode a tensor, with its axes and rows in the order of transformers."""
    weights = torch.from_numpy(tensor.decode())
    if architecture.transposed and key.startswith("blk.") and weights.ndim == 2:
        return weights.T.contiguous()  # (outputs, inputs) -> (inputs, outputs)
    heads = {"attn_q": "num_attention_heads", "attn_k": "num_key_value_heads"}
    counted = heads.get(key.split(".")[-2])
    if counted is None or not architecture.pairs:
        return weights
    # A rotation turns pairs of rows. In GGUF the two rows of a pair are neighbours. transformers
    # has the first rows of all pairs, then the second rows.
    pairs = weights.unflatten(0, (getattr(config, counted), -1, 2))  # (H*K, D) -> (H, K/2, 2, D)
    halves = pairs.transpose(1, 2)  # (H, K/2, 2, D) -> (H, 2, K/2, D)
    return halves.flatten(0, 2).contiguous()  # (H, 2, K/2, D) -> (H*K, D)
