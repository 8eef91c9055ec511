"""Tiny random checkpoints of every family, so that no test needs a network.

The weights are much larger than initial weights, so that attention is uneven and a wrong axis,
scale or layer order shows.
"""

import json
import os
from pathlib import Path

import pytest
import torch
from huggingface_hub import constants
from tokenizers import Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors
from transformers import (
    AutoConfig,
    AutoModel,
    AutoModelForMaskedLM,
    AutoModelForQuestionAnswering,
    AutoModelForSequenceClassification,
    AutoModelForTokenClassification,
    PretrainedConfig,
    PreTrainedModel,
    PreTrainedTokenizerFast,
)

from model import HeadlightError, load_model

LETTERS = "abcdefghijklmnopqrstuvwxyz"
WORDS = ["the", "animal", "street", "was", "it", "too", "book", "table"]
INIT = {"initializer_range": 0.4}


def word_piece() -> Tokenizer:
    """WordPiece like BERT's: a few words, every letter, every continued letter."""
    vocabulary = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *".,'?!", *LETTERS, *WORDS]
    vocabulary += [f"##{letter}" for letter in LETTERS]
    tokenizer = Tokenizer(
        models.WordPiece({piece: i for i, piece in enumerate(vocabulary)}, unk_token="[UNK]")
    )
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.decoder = decoders.WordPiece()
    tokenizer.post_processor = _bert_template(tokenizer)
    return tokenizer


def byte_level(specials: list[str]) -> Tokenizer:
    """Byte-level like GPT-2's, with a few merges."""
    merges = [("t", "h"), ("th", "e"), ("Ġ", "the"), ("i", "t"), ("Ġ", "it"), ("Ġ", "a")]
    vocabulary = [*specials, *sorted(pre_tokenizers.ByteLevel.alphabet())]
    vocabulary += ["".join(pair) for pair in merges]
    tokenizer = Tokenizer(models.BPE({piece: i for i, piece in enumerate(vocabulary)}, merges))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    return tokenizer


def roberta_tokenizer() -> Tokenizer:
    tokenizer = byte_level(["<s>", "<pad>", "</s>", "<unk>", "<mask>"])
    tokenizer.post_processor = processors.RobertaProcessing(("</s>", 2), ("<s>", 0))
    return tokenizer


def modernbert_tokenizer() -> Tokenizer:
    tokenizer = byte_level(["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"])
    tokenizer.post_processor = _bert_template(tokenizer)
    return tokenizer


def unigram() -> Tokenizer:
    """SentencePiece like ALBERT's."""
    pieces = [("<pad>", 0.0), ("<unk>", 0.0), ("[CLS]", 0.0), ("[SEP]", 0.0), ("[MASK]", 0.0)]
    pieces += [(f"▁{word}", -2.0) for word in WORDS]
    pieces += [(letter, -6.0) for letter in f"▁{LETTERS}.,'?!"]
    tokenizer = Tokenizer(models.Unigram(pieces, unk_id=1))
    tokenizer.normalizer = normalizers.Sequence(
        [normalizers.Replace(Regex(" {2,}"), " "), normalizers.NFKD(), normalizers.Lowercase()]
    )
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    tokenizer.decoder = decoders.Metaspace()
    tokenizer.post_processor = _bert_template(tokenizer)
    return tokenizer


def _bert_template(tokenizer: Tokenizer) -> processors.TemplateProcessing:
    return processors.TemplateProcessing(
        single="[CLS] $A [SEP]",
        pair="[CLS] $A [SEP] $B:1 [SEP]:1",
        special_tokens=[(name, tokenizer.token_to_id(name)) for name in ("[CLS]", "[SEP]")],
    )


TOKENIZERS = {"roberta": roberta_tokenizer, "modernbert": modernbert_tokenizer, "albert": unigram}

PLAIN = {
    "hidden_size": 24,
    "num_attention_heads": 3,
    "num_hidden_layers": 2,
    "intermediate_size": 40,
    "max_position_embeddings": 48,
    **INIT,
}

FAMILIES = {
    "bert": PLAIN,
    "roberta": {**PLAIN, "max_position_embeddings": 50, "type_vocab_size": 1},
    "distilbert": {
        **{"dim": 24, "n_heads": 3, "n_layers": 2, "hidden_dim": 40},
        **{"max_position_embeddings": 48, **INIT},
    },
    "electra": {**PLAIN, "embedding_size": 16},
    # Five layers share two groups of weights, so that each module serves several layers.
    "albert": {**PLAIN, "embedding_size": 16, "num_hidden_layers": 5, "num_hidden_groups": 2},
    # Layers 0 and 3 see everything, 1 and 2 three tokens on either side.
    "modernbert": {
        **PLAIN,
        "num_hidden_layers": 4,
        "global_attn_every_n_layers": 3,
        "local_attention": 6,
        **{"pad_token_id": 0, "bos_token_id": 2, "eos_token_id": 3},
        **{"cls_token_id": 2, "sep_token_id": 3},
    },
}


def config_of(family: str, vocab_size: int) -> PretrainedConfig:
    return AutoConfig.for_model(family, vocab_size=vocab_size, **FAMILIES.get(family, PLAIN))


HEADS = {
    "sequence": AutoModelForSequenceClassification,
    "token": AutoModelForTokenClassification,
    "answer": AutoModelForQuestionAnswering,
}


def save(family: str, folder: Path) -> Path:
    """Save a tiny random checkpoint of a family with its kind of tokenizer."""
    return save_head(folder, family, "bare")


def save_masked_lm(folder: Path, family: str = "bert") -> Path:
    return save_head(folder, family, "masked")


def save_head(folder: Path, family: str, head: str, **settings) -> Path:
    """Save a tiny random model with one of HEADS and changed settings."""
    tokenizer = TOKENIZERS.get(family, word_piece)()
    config = config_of(family, tokenizer.get_vocab_size())
    for name, value in settings.items():
        setattr(config, name, value)
    auto = {**HEADS, "bare": AutoModel, "masked": AutoModelForMaskedLM}[head]
    return write(folder, seeded(auto.from_config, config), tokenizer)


def seeded(make, *args) -> PreTrainedModel:
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(7)
        return make(*args).eval()


def write(folder: Path, module: PreTrainedModel, tokenizer: Tokenizer | None) -> Path:
    """Write the files of save_pretrained."""
    module.save_pretrained(folder)
    if tokenizer is not None:
        vocabulary = tokenizer.get_vocab()
        names = {"cls": "[CLS] <s>", "sep": "[SEP] </s>", "pad": "[PAD] <pad>"}
        names |= {"mask": "[MASK] <mask>", "unk": "[UNK] <unk>"}
        specials = {
            f"{role}_token": next(name for name in candidates.split() if name in vocabulary)
            for role, candidates in names.items()
        }
        PreTrainedTokenizerFast(tokenizer_object=tokenizer, **specials).save_pretrained(folder)
    return folder


def configure(folder: Path, **changes) -> str:
    """Change settings in the config.json of a checkpoint, and return its folder."""
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps({**config, **changes}))
    return str(folder)


def refused(path: Path, load=load_model, **options) -> str:
    """Fail to load, and return the sentence. Nothing is written or downloaded."""
    before = {file: file.read_bytes() for file in path.rglob("*") if file.is_file()}
    with pytest.raises(HeadlightError) as error:
        load(str(path), **options)
    assert before == {file: file.read_bytes() for file in path.rglob("*") if file.is_file()}
    assert not os.path.exists(constants.HF_HUB_CACHE)
    sentence = str(error.value)
    assert str(path) in sentence and sentence.endswith(".")
    assert "\n" not in sentence and "Error" not in sentence
    return sentence
