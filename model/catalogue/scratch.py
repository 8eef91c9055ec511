"""Our encoder as a loaded model: untrained, trained, or with the weights of a BERT checkpoint."""

import json
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import load_file
from tokenizers import Tokenizer
from torch import Tensor

from model.capture.language_head import LanguageHead
from model.capture.residual_stream import LayerSite
from model.capture.sites import own_site
from model.catalogue import encoder_files
from model.catalogue.loaded_model import LoadedModel
from model.transformer.attention import MultiHeadAttention
from model.transformer.config import EncoderConfig
from model.transformer.encoder import Encoder, EncoderLayer
from model.transformer.language_model import MaskedLanguageModel

CONFIG = EncoderConfig(
    vocab_size=30_522,
    d_model=192,
    n_heads=12,
    d_ff=768,
    n_layers=6,
    embedding_norm=True,
    d_embedding=128,
    dropout=0.0,
)
"""Small, with MiniLM's 6 x 12 heads, so that the two overviews compare."""

TRAINED_LENGTH = 64
"""Tokens of the longest training texts, special tokens included. Heads degrade beyond it."""

SEED = 0

BERT_NAMES = {
    "embeddings.word_embeddings": "embeddings.token",
    "embeddings.position_embeddings": "embeddings.position",
    "embeddings.token_type_embeddings": "embeddings.segment",
    "embeddings.LayerNorm": "embeddings.norm",
    "encoder.layer": "layers",
    "attention.self": "attention",
    "attention.output.dense": "attention.output",
    "attention.output.LayerNorm": "attention_norm",
    "intermediate.dense": "feed_forward.expand",
    "output.dense": "feed_forward.contract",
    "output.LayerNorm": "feed_forward_norm",
}
"""BERT's module names and ours, longest match first. The architectures differ in nothing else."""


def untrained(name: str, tokenizer: Tokenizer) -> LoadedModel:
    """Load our encoder with seeded random weights, the control for all training."""
    with torch.random.fork_rng(devices=[]):  # does not change the caller's random state
        torch.manual_seed(SEED)
        encoder = Encoder(CONFIG)
    return as_loaded(name, encoder, tokenizer)


def trained(name: str, tokenizer: Tokenizer, step: int | None = None) -> LoadedModel:
    """Load our trained encoder with its masked-language head, at a step or the end (None)."""
    model = MaskedLanguageModel(CONFIG)
    model.load_state_dict(encoder_files.weights(step))
    return as_loaded(name, model.encoder, tokenizer, model.eval())


def as_loaded(
    name: str, encoder: Encoder, tokenizer: Tokenizer, masked_lm: MaskedLanguageModel | None = None
) -> LoadedModel:
    """Install hooks on one of our encoders, which may be part of a language model."""
    config = encoder.config
    table = encoder.embeddings.position_table
    attentions = [x for x in encoder.modules() if isinstance(x, MultiHeadAttention)]
    sites = [own_site(attention) for attention in attentions]
    return LoadedModel(
        name=name,
        module=encoder,
        encode=encoder,
        tokenizer=tokenizer,
        n_layers=config.n_layers,
        n_heads=config.n_heads,
        d_model=config.d_model,
        max_len=config.max_len,
        outputs=tuple(x.output for x in attentions),
        layers=tuple(_layer(x) for x in encoder.modules() if isinstance(x, EncoderLayer)),
        position_table=None if table is None else table.detach(),
        masked_lm=masked_lm,
        language_head=None if masked_lm is None else _language_head(masked_lm),
    ).with_hooks(sites)


def _language_head(model: MaskedLanguageModel) -> LanguageHead:
    encoder = model.encoder
    final = (encoder.final_norm,) if encoder.config.norm == "pre" else ()
    return LanguageHead(
        table=encoder.embeddings.token.weight.detach(),
        bias=model.bias.detach(),
        steps=(*final, model.transform, model.activation, model.norm),
    )


def _layer(layer: EncoderLayer) -> LayerSite:
    norms = None if layer.pre_norm else (layer.attention_norm, layer.feed_forward_norm)
    return LayerSite(layer, layer.attention.output, layer.feed_forward.contract, norms)


def from_bert_folder(folder: Path) -> Encoder:
    """Read a BERT checkpoint (config.json, model.safetensors) into our encoder.

    transformers is not involved, so equal outputs show that our code is BERT's architecture.
    """
    config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    return from_bert(config, load_file(folder / "model.safetensors"))


def from_bert(config: dict[str, Any], state: dict[str, Tensor]) -> Encoder:
    """Copy BERT weights, with or without ``bert.``, into our encoder; without pooler and heads."""
    encoder = Encoder(
        EncoderConfig(
            vocab_size=config["vocab_size"],
            d_model=config["hidden_size"],
            n_heads=config["num_attention_heads"],
            d_ff=config["intermediate_size"],
            n_layers=config["num_hidden_layers"],
            max_len=config["max_position_embeddings"],
            activation=config["hidden_act"],
            positions="learned",
            n_segments=config["type_vocab_size"],
            embedding_norm=True,
            dropout=config["hidden_dropout_prob"],
            norm_eps=config["layer_norm_eps"],
        )
    )
    ours = {}
    for name, weights in state.items():
        name = name.removeprefix("bert.")
        if name.startswith(("embeddings.", "encoder.")) and not name.endswith("position_ids"):
            ours[_our_name(name)] = weights
    encoder.load_state_dict(ours)  # strict: a missing or unexpected weight is an error
    return encoder.eval()


def _our_name(name: str) -> str:
    for theirs in sorted(BERT_NAMES, key=len, reverse=True):
        name = name.replace(theirs, BERT_NAMES[theirs])
    return name
