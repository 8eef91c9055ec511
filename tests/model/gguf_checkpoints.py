"""Small GGUF files of models of transformers, written by GGUF's own library."""

from pathlib import Path

import numpy as np
import torch
from gguf import MODEL_ARCH, GGMLQuantizationType, GGUFValueType, GGUFWriter, get_tensor_name_map
from gguf.quants import quantize
from transformers import Qwen3Config, Qwen3ForCausalLM

from tests.model import checkpoints, decoder_checkpoints, general_checkpoints

BYTES = "<|endoftext|>", "<|turn|>"
"""Control tokens of the byte-level tokenizer; the first begins and ends a text."""


def write(path: Path, settings: dict, tensors: dict, type_: str = "F32") -> Path:
    """Write a file; matrices have the given type, vectors 32 bits."""
    writer = GGUFWriter(path, settings.get("general.architecture", "llama"))
    for key, value in settings.items():
        if key != "general.architecture":
            writer.add_key_value(key, value, GGUFValueType.get_type(value))
    for name, tensor in tensors.items():
        of = GGMLQuantizationType[type_ if tensor.ndim > 1 else "F32"]
        numbers = np.ascontiguousarray(tensor, dtype=np.float32)
        writer.add_tensor(name, quantize(numbers, of), raw_dtype=of)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path


def neighbours(weights: torch.Tensor, n_heads: int) -> torch.Tensor:
    """Rows of a head (x1...xk, y1...yk) in GGUF's order: x1, y1, x2, y2..."""
    heads = weights.reshape(n_heads, 2, weights.shape[0] // n_heads // 2, -1)
    return torch.stack([heads[:, 0], heads[:, 1]], dim=2).reshape(weights.shape)


def stored(module) -> dict:
    """The weights of a model, named and ordered as in GGUF."""
    config = module.config
    names = get_tensor_name_map(MODEL_ARCH[config.model_type.upper()], config.num_hidden_layers)
    tensors = {}
    for name, weights in module.state_dict().items():
        part, _, kind = name.rpartition(".")
        if part == "lm_head" and config.tie_word_embeddings:
            continue
        key = names.get_name(part)
        if config.model_type == "gpt2" and key.startswith("blk") and weights.ndim == 2:
            weights = weights.T
        if config.model_type == "llama" and key.endswith(("attn_q", "attn_k")):
            of_keys = key.endswith("attn_k")
            n_heads = config.num_key_value_heads if of_keys else config.num_attention_heads
            weights = neighbours(weights, n_heads)
        tensors[f"{key}.{kind}"] = weights
    return tensors


def settings(module) -> dict:
    """The sizes of a model, and the tokenizer of :mod:`decoder_checkpoints`."""
    config = module.config
    declared = {
        "embedding_length": config.hidden_size,
        "feed_forward_length": getattr(config, "intermediate_size", 4 * config.hidden_size),
        "block_count": config.num_hidden_layers,
        "attention.head_count": config.num_attention_heads,
        "context_length": config.max_position_embeddings,
    }
    if config.model_type == "gpt2":
        declared["attention.layer_norm_epsilon"] = config.layer_norm_epsilon
    else:
        declared["attention.layer_norm_rms_epsilon"] = config.rms_norm_eps
        declared["attention.head_count_kv"] = config.num_key_value_heads
        declared["rope.freq_base"] = config.rope_parameters["rope_theta"]
    if config.model_type in ("llama", "qwen3"):
        declared["attention.key_length"] = config.head_dim
    vocabulary = checkpoints.byte_level(list(BYTES)).get_vocab()
    pieces = sorted(vocabulary, key=vocabulary.__getitem__)
    unused = [f"[unused{i}]" for i in range(config.vocab_size - len(pieces))]
    return {
        "general.architecture": config.model_type,
        **{f"{config.model_type}.{key}": value for key, value in declared.items()},
        "tokenizer.ggml.model": "gpt2",
        "tokenizer.ggml.pre": "gpt-2",
        "tokenizer.ggml.tokens": pieces + unused,
        "tokenizer.ggml.token_type": [3, 3] + [1] * (len(pieces) - 2) + [5] * len(unused),
        "tokenizer.ggml.merges": ["t h", "th e", "Ġ the", "i t", "Ġ it", "Ġ a"],
        "tokenizer.ggml.bos_token_id": 0,
        "tokenizer.ggml.eos_token_id": 0,
        "tokenizer.ggml.add_bos_token": False,
    }


def save(module, path: Path, type_: str = "F32", **changes) -> Path:
    """Save a decoder; in keys of ``changes``, __ is a dot; the value None removes a setting."""
    declared = settings(module) | {key.replace("__", "."): v for key, v in changes.items()}
    kept = {key: value for key, value in declared.items() if value is not None}
    return write(path, kept, stored(module), type_)


def module_of(family: str):
    """The random decoder of :mod:`decoder_checkpoints`; a small Qwen3 besides."""
    size = checkpoints.byte_level(list(BYTES)).get_vocab_size() + 3
    if family == "qwen3":
        settings = {**general_checkpoints.GROUPED, "head_dim": 10, "tie_word_embeddings": True}
        config = Qwen3Config(vocab_size=size, **settings)
        return checkpoints.seeded(Qwen3ForCausalLM, config)
    module = checkpoints.seeded(decoder_checkpoints.module_of, family, size)
    if family == "gpt2":  # GGUF has no setting for it
        module.config.scale_attn_by_inverse_layer_idx = False
    return module
