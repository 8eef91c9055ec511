"""Tiny random encoder-decoders of every family, with different sizes and unusual settings.

Except in the first, the language head is a permutation of the embeddings. Otherwise a random model
would repeat one token.
"""

import json
from pathlib import Path
from typing import Any

import torch
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors
from transformers import (
    AutoConfig,
    AutoModelForSeq2SeqLM,
    PreTrainedModel,
    PreTrainedTokenizerFast,
)
from transformers.convert_slow_tokenizer import import_protobuf

from tests.model.checkpoints import LETTERS, WORDS, roberta_tokenizer, seeded
from tests.model.general_checkpoints import WINDOW

PREFIX = "translate it to table: "
MARKS = ".,'?!:"
EMPTY, CODE = "▁dog", ">>tab<<"
"""Marian: a piece that splits text but is not in the vocabulary, and a target language."""


SIZES = {"d_model": 24, "encoder_ffn_dim": 40, "decoder_ffn_dim": 36}
SIZES |= {"max_position_embeddings": 48, "tie_word_embeddings": False}


def t5_tokenizer() -> Tokenizer:
    pieces = [("<pad>", 0.0), ("</s>", 0.0), ("<unk>", 0.0)]
    pieces += [(f"▁{word}", -2.0) for word in WORDS]
    pieces += [(letter, -6.0) for letter in f"▁{LETTERS}{MARKS}"]
    tokenizer = Tokenizer(models.Unigram(pieces, unk_id=2))
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    tokenizer.decoder = decoders.Metaspace()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="$A </s>", special_tokens=[("</s>", 1)]
    )
    return tokenizer


def _model(model_type: str, **config: Any) -> PreTrainedModel:
    return AutoModelForSeq2SeqLM.from_config(AutoConfig.for_model(model_type, **config))


def _t5(gated: bool, model_type: str = "t5") -> PreTrainedModel:
    """Heads of 5, which is not 24 / 3; 7 buckets over distances to 6."""
    return _model(
        model_type,
        vocab_size=t5_tokenizer().get_vocab_size() + 3,  # as published: more rows than tokens
        d_model=24,
        d_kv=5,
        d_ff=40,
        num_layers=2,
        num_decoder_layers=3,
        num_heads=3,
        relative_attention_num_buckets=8,
        relative_attention_max_distance=6,
        feed_forward_proj="gated-gelu" if gated else "relu",
        tie_word_embeddings=not gated,
        decoder_start_token_id=0,
        pad_token_id=0,
        eos_token_id=1,
        task_specific_params={"translation": {"prefix": PREFIX, "num_beams": 4}},
    )


def _bart(model_type: str = "bart") -> PreTrainedModel:
    """Its start token is its end token. It always generates <s> next and requests a beam search."""
    module = _model(
        model_type,
        vocab_size=roberta_tokenizer().get_vocab_size(),
        encoder_layers=2,
        decoder_layers=3,
        encoder_attention_heads=4,
        decoder_attention_heads=2,
        init_std=0.4,
        **SIZES,
        bos_token_id=0,
        pad_token_id=1,
        eos_token_id=2,
        decoder_start_token_id=2,
    )
    module.generation_config.forced_bos_token_id = 0
    module.generation_config.forced_eos_token_id = None
    module.generation_config.num_beams = 5
    module.generation_config.bad_words_ids = [[5, 6]]  # a sequence of tokens: not followed
    _draw_biases(module)
    return module


def marian_vocabulary() -> dict[str, int]:
    pieces = ["</s>", "<unk>", *(f"▁{word}" for word in reversed(WORDS)), "▁chien", CODE]
    return {piece: id_ for id_, piece in enumerate([*pieces, *f"{LETTERS}▁{MARKS}", "<pad>"])}


def _marian() -> PreTrainedModel:
    """Padding begins a text and is suppressed afterwards; two end tokens; scaled embeddings."""
    n = len(marian_vocabulary())
    module = _model(
        "marian",
        vocab_size=n,
        encoder_layers=3,
        decoder_layers=2,
        encoder_attention_heads=2,
        decoder_attention_heads=4,
        init_std=0.3,
        **SIZES,
        scale_embedding=True,
        pad_token_id=n - 1,
        decoder_start_token_id=n - 1,
        eos_token_id=0,
    )
    module.generation_config.bad_words_ids = [[n - 1]]
    module.generation_config.forced_eos_token_id = None
    module.generation_config.eos_token_id = [0, 12]
    _draw_biases(module)
    with torch.no_grad():
        module.final_logits_bias.normal_()
        module.final_logits_bias[0, n - 1] = 50.0  # it would generate nothing but padding
    return module


def _t5gemma() -> PreTrainedModel:
    """Grouped queries, windows and a soft cap; its two sides have configurations of their own."""
    side = {
        "vocab_size": t5_tokenizer().get_vocab_size() + 3,
        "hidden_size": 24,
        "intermediate_size": 40,
        "num_key_value_heads": 2,
        "head_dim": 10,
        "max_position_embeddings": 48,
        "query_pre_attn_scalar": 7,
        "sliding_window": WINDOW,
        "attn_logit_softcapping": 1.5,
        "initializer_range": 0.4,
        "pad_token_id": 0,
        "bos_token_id": 2,
        "eos_token_id": 1,
    }
    return _model(
        "t5gemma",
        encoder={**side, "num_hidden_layers": 2, "num_attention_heads": 4},
        decoder={**side, "num_hidden_layers": 3, "num_attention_heads": 6},
        vocab_size=side["vocab_size"],
        tie_word_embeddings=False,
        decoder_start_token_id=2,
    )


def _varied(module: PreTrainedModel) -> PreTrainedModel:
    """Layers change a token little, so that the head maps it to the fifth id after it."""
    embeddings = module.get_input_embeddings().weight
    with torch.no_grad():
        for name, parameter in module.named_parameters():
            if any(part in name for part in ("fc2", "out_proj", ".wo.", ".o.")):
                parameter.mul_(0.15)
        if not getattr(module.config, "scale_decoder_outputs", False):
            head = module.get_output_embeddings()
            head.weight = torch.nn.Parameter(embeddings.roll(5, dims=0))
    return module


def _draw_biases(module: PreTrainedModel) -> None:
    for name, parameter in module.named_parameters():
        if name.endswith("proj.bias"):
            torch.nn.init.normal_(parameter)


FAMILIES = {
    "t5": lambda: _t5(gated=False),
    "t5-gated": lambda: _t5(gated=True),
    "bart": _bart,
    "m2m_100": lambda: _bart("m2m_100"),
    "marian": _marian,
    "pegasus": lambda: _bart("pegasus"),
    "plbart": lambda: _bart("plbart"),
    "umt5": lambda: _t5(gated=True, model_type="umt5"),
    "t5gemma": _t5gemma,
}


def save(family: str, folder: Path) -> Path:
    """Save a tiny random encoder-decoder with its kind of tokenizer."""
    seeded(lambda: _varied(FAMILIES[family]())).save_pretrained(folder)
    if family == "marian":
        write_marian_tokenizers(folder)
    else:
        tokenizer = t5_tokenizer() if "t5" in family else roberta_tokenizer()
        special = {"pad_token": "<pad>", "eos_token": "</s>", "unk_token": "<unk>"}
        PreTrainedTokenizerFast(tokenizer_object=tokenizer, **special).save_pretrained(folder)
    return folder


def write_marian_tokenizers(folder: Path) -> None:
    """A SentencePiece file with other ids and other pieces than the vocabulary."""
    proto = import_protobuf().ModelProto()
    proto.trainer_spec.model_type = 1
    kinds = {"<unk>": 2, "<s>": 3, "</s>": 3}
    scores = {f"▁{word}": -2.0 for word in WORDS} | {EMPTY: -1.5}
    for piece in (*kinds, *scores, *f"▁{LETTERS}{MARKS}"):
        proto.pieces.add(piece=piece, score=scores.get(piece, -6.0), type=kinds.get(piece, 1))
    (folder / "source.spm").write_bytes(proto.SerializeToString())
    (folder / "target.spm").write_bytes(proto.SerializeToString())
    (folder / "vocab.json").write_text(json.dumps(marian_vocabulary()))
