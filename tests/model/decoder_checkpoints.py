"""Tiny random decoders of every family; all sizes differ."""

from pathlib import Path

import torch
from tokenizers import Tokenizer
from transformers import (
    GPT2Config,
    GPT2LMHeadModel,
    LlamaConfig,
    LlamaForCausalLM,
    MistralConfig,
    MistralForCausalLM,
    PreTrainedModel,
    PreTrainedTokenizerFast,
    Qwen2Config,
    Qwen2ForCausalLM,
)

from tests.model.checkpoints import INIT, byte_level, seeded

WINDOW = 4
"""Window of Mistral's tokens, themselves included: fewer than a sentence has."""

GROUPED = {
    "hidden_size": 24,
    "intermediate_size": 40,
    "num_hidden_layers": 3,
    "num_attention_heads": 6,
    "num_key_value_heads": 2,
    "max_position_embeddings": 48,
    **INIT,
}


def _gpt2(vocab_size: int) -> GPT2LMHeadModel:
    """The second layer also divides its scores by 2."""
    return GPT2LMHeadModel(
        GPT2Config(
            vocab_size=vocab_size,
            n_embd=24,
            n_head=3,
            n_layer=2,
            n_positions=48,
            scale_attn_by_inverse_layer_idx=True,
            bos_token_id=0,
            eos_token_id=0,
            **INIT,
        )
    )


def _llama(vocab_size: int) -> LlamaForCausalLM:
    """Heads of 10, which is not 24 / 6."""
    return LlamaForCausalLM(
        LlamaConfig(
            vocab_size=vocab_size, head_dim=10, bos_token_id=0, eos_token_id=[1, 0], **GROUPED
        )
    )


def _mistral(vocab_size: int) -> MistralForCausalLM:
    return MistralForCausalLM(
        MistralConfig(
            vocab_size=vocab_size, sliding_window=WINDOW, bos_token_id=0, eos_token_id=0, **GROUPED
        )
    )


def _qwen2(vocab_size: int) -> Qwen2ForCausalLM:
    """Its biases are not zero, and its head is the token table."""
    module = Qwen2ForCausalLM(
        Qwen2Config(
            vocab_size=vocab_size,
            tie_word_embeddings=True,
            bos_token_id=0,
            eos_token_id=0,
            **GROUPED,
        )
    )
    for name, parameter in module.named_parameters():
        if name.endswith("bias"):
            torch.nn.init.normal_(parameter)
    return module


FAMILIES = {"gpt2": _gpt2, "llama": _llama, "mistral": _mistral, "qwen2": _qwen2}


def save(family: str, folder: Path, **settings) -> Path:
    """Save a tiny random decoder with GPT-2's kind of tokenizer."""
    tokenizer = byte_level(["<|endoftext|>", "<|turn|>"])
    module = seeded(
        FAMILIES[family], tokenizer.get_vocab_size() + 3
    )  # more than tokens, as in Qwen
    for name, value in settings.items():
        setattr(module.config, name, value)
    return write(folder, module, tokenizer)


def write(
    folder: Path, module: PreTrainedModel, tokenizer: Tokenizer, template: str | None = None
) -> Path:
    """Write the files of save_pretrained."""
    module.save_pretrained(folder)
    PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        eos_token="<|endoftext|>",
        additional_special_tokens=["<|turn|>"],
        chat_template=template,
    ).save_pretrained(folder)
    return folder
