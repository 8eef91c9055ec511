"""Tiny random decoders of every family; all sizes differ."""

from pathlib import Path

import torch
from tokenizers import Tokenizer
from transformers import AutoConfig, AutoModelForCausalLM, PreTrainedModel, PreTrainedTokenizerFast

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

SPECIAL = {"bos_token_id": 0, "eos_token_id": 0}
FAMILIES = {
    # The second layer also divides its scores by 2.
    "gpt2": {
        **{"n_embd": 24, "n_head": 3, "n_layer": 2, "n_positions": 48},
        **{"scale_attn_by_inverse_layer_idx": True, **SPECIAL, **INIT},
    },
    # Heads of 10, which is not 24 / 6.
    "llama": {**GROUPED, "head_dim": 10, "bos_token_id": 0, "eos_token_id": [1, 0]},
    "mistral": {**GROUPED, "sliding_window": WINDOW, **SPECIAL},
    # Its biases are not zero, and its head is the token table.
    "qwen2": {**GROUPED, "tie_word_embeddings": True, **SPECIAL},
}


def module_of(family: str, vocab_size: int) -> PreTrainedModel:
    """Make a tiny random decoder."""
    config = AutoConfig.for_model(family, vocab_size=vocab_size, **FAMILIES[family])
    module = AutoModelForCausalLM.from_config(config)
    for name, parameter in module.named_parameters():
        if family == "qwen2" and name.endswith("bias"):
            torch.nn.init.normal_(parameter)
    return module


def save(family: str, folder: Path, **settings) -> Path:
    """Save a tiny random decoder with GPT-2's kind of tokenizer."""
    tokenizer = byte_level(["<|endoftext|>", "<|turn|>"])
    size = tokenizer.get_vocab_size() + 3  # more than tokens, as in Qwen
    module = seeded(module_of, family, size)
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
