"""Tiny random checkpoints of types that no family describes; all sizes differ."""

from pathlib import Path

import torch
from transformers import AutoConfig, AutoModel, AutoModelForCausalLM

from tests.model import checkpoints, decoder_checkpoints
from tests.model.checkpoints import INIT, seeded

WINDOW = 3
"""Tokens that a layer with a window sees, themselves included: fewer than a sentence has."""

PLAIN = {
    "hidden_size": 24,
    "intermediate_size": 40,
    "num_hidden_layers": 3,
    "num_attention_heads": 6,
    "max_position_embeddings": 48,
    "pad_token_id": 0,
    "bos_token_id": 0,
    "eos_token_id": 0,
    **INIT,
}
GROUPED = {**PLAIN, "num_key_value_heads": 2}
WINDOWED = {**GROUPED, "sliding_window": WINDOW}
MIXED = {**WINDOWED, "head_dim": 10}
MIXED |= {"layer_types": ["sliding_attention", "full_attention", "sliding_attention"]}
LLAMA3 = {
    "rope_type": "llama3",
    "rope_theta": 10_000.0,
    "factor": 4.0,
    "low_freq_factor": 1.0,
    "high_freq_factor": 4.0,
    "original_max_position_embeddings": 12,
}
GPT = {"n_embd": 24, "n_layer": 2, "n_head": 3, "n_positions": 48, **INIT}
GPT |= {"bos_token_id": 0, "eos_token_id": 0}

MAMBA = {"mamba_n_heads": 4, "mamba_d_head": 12, "mamba_d_state": 8, "mamba_n_groups": 1}
HYBRIDS = {
    "jamba": {"attn_layer_period": 2, "attn_layer_offset": 1, "mamba_dt_rank": 4},
    "bamba": {"attn_layer_indices": [1, 3], **MAMBA},
    "lfm2": {"layer_types": ["conv", "full_attention"] * 2, "block_auto_adjust_ff_dim": False},
    "nemotron_h": {"layers_block_type": ["mamba", "attention"] * 2},
    "qwen3_next": {
        "layer_types": ["linear_attention", "full_attention"] * 2,
        **{"linear_num_key_heads": 2, "linear_num_value_heads": 4, "linear_key_head_dim": 6},
        **{"linear_value_head_dim": 6, "num_experts": 3, "num_experts_per_tok": 2},
    },
}
"""Decoders with attention in layers 1 and 3 of 4."""

DECODERS = {
    "gpt_neox": {**PLAIN, "rotary_pct": 0.5},
    "qwen3": {**MIXED, "use_sliding_window": True},
    "gemma3_text": {**MIXED, "query_pre_attn_scalar": 7},
    # Its text half; the other half does not run.
    "gemma3": {
        "text_config": {**MIXED, "query_pre_attn_scalar": 7},
        "vision_config": {
            **{"hidden_size": 24, "intermediate_size": 40, "num_hidden_layers": 1},
            **{"num_attention_heads": 3, "image_size": 28, "patch_size": 14},
        },
        "mm_tokens_per_image": 4,
    },
    "phi3": WINDOWED,
    "cohere": GROUPED,
    "olmo2": GROUPED,
    "granite": {**GROUPED, "attention_multiplier": 0.3, "logits_scaling": 3.0},
    "gpt_oss": {**WINDOWED, "head_dim": 10, "num_local_experts": 3, "num_experts_per_tok": 2},
    "llama4_text": {**GROUPED, "head_dim": 8, "intermediate_size_mlp": 48, "num_local_experts": 2},
    "falcon_h1": {**GROUPED, "head_dim": 8, "mamba_d_ssm": 48, **MAMBA},
}
OWN_DECODERS = {
    "gpt_neo": {
        **PLAIN,
        "num_hidden_layers": 2,
        "num_attention_heads": 3,
        "attention_types": [[["global", "local"], 1]],
        "window_size": WINDOW,
    },
    "bloom": {"hidden_size": 24, "n_layer": 2, "n_head": 3, **INIT},
    "falcon": {**PLAIN, "num_attention_heads": 4, "multi_query": True},
    "falcon_grouped": {**GROUPED, "num_kv_heads": 2, "new_decoder_architecture": True},
    "mpt": {"d_model": 24, "n_layers": 2, "n_heads": 3, "max_seq_len": 48, **INIT},
    "gemma2": {**WINDOWED, "head_dim": 10, "attn_logit_softcapping": 1.5},
    "codegen": {**GPT, "n_head": 4, "rotary_dim": 4},
}
"""Decoders whose attention has code of its own, or steps that our function lacks."""

ENCODERS = {"xlm-roberta": PLAIN}

RELATIVE = {"relative_attention": True, "pos_att_type": ["c2p", "p2c"]}
OWN_ENCODERS = {
    "mpnet": PLAIN,
    "deberta": {**PLAIN, **RELATIVE},
    "roformer": PLAIN,
    "xlnet": {"d_model": 24, "n_layer": 2, "n_head": 3, "d_inner": 40, **INIT},
}
WITHOUT_OUTPUTS = ("codegen", "xlnet")
"""Types of which W^O is not found, because V or W^O has a layout of its own."""


def save(model_type: str, folder: Path, **changed: object) -> Path:
    """Save a tiny random model with a tokenizer of its kind; ``changed`` are settings."""
    hybrids = {name: {**GROUPED, "num_hidden_layers": 4, **HYBRIDS[name]} for name in HYBRIDS}
    decoders = {**DECODERS, **OWN_DECODERS, **hybrids}
    if model_type in decoders:
        tokenizer = checkpoints.byte_level(["<|endoftext|>", "<|turn|>"])
        make, write = AutoModelForCausalLM.from_config, decoder_checkpoints.write
        settings = decoders[model_type]
    else:
        tokenizer = checkpoints.word_piece()
        make, write = AutoModel.from_config, checkpoints.write
        settings = {**ENCODERS, **OWN_ENCODERS}[model_type]
    size = tokenizer.get_vocab_size() + 3
    model_type = model_type.removesuffix("_grouped")
    if "text_config" in settings:
        settings = {**settings, "text_config": {**settings["text_config"], "vocab_size": size}}
    config = AutoConfig.for_model(model_type, vocab_size=size, **{**settings, **changed})
    module = seeded(make, config)
    for name, parameter in module.named_parameters():
        if name.endswith("sinks"):
            torch.nn.init.constant_(parameter, 0.7)
    return write(folder, module, tokenizer)
