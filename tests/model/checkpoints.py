"""Tiny random checkpoints of every family, so that no test needs a network.

The weights are much larger than initial weights, so that attention is uneven and a wrong axis,
scale or layer order shows.
"""

import json
from pathlib import Path

import torch
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

LETTERS = "abcdefghijklmnopqrstuvwxyz"
WORDS = ["the", "animal", "street", "was", "it", "too", "book", "table"]
INIT = {"initializer_range": 0.4}
WINDOW = 3
"""Tokens that ModernBERT's local layers see on either side: fewer than a sentence has."""


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
    # Layers 0 and 3 see everything, 1 and 2 a window.
    "modernbert": {
        **PLAIN,
        "num_hidden_layers": 4,
        "global_attn_every_n_layers": 3,
        "local_attention": 2 * WINDOW,
        **{"pad_token_id": 0, "bos_token_id": 2, "eos_token_id": 3},
        **{"cls_token_id": 2, "sep_token_id": 3},
    },
}
"""Settings by type."""


def config_of(family: str, vocab_size: int) -> PretrainedConfig:
    """Make the configuration of a tiny model."""
    return AutoConfig.for_model(family, vocab_size=vocab_size, **FAMILIES[family])


def save(family: str, folder: Path) -> Path:
    """Save a tiny random checkpoint of a family with its kind of tokenizer."""
    tokenizer = TOKENIZERS.get(family, word_piece)()
    config = config_of(family, tokenizer.get_vocab_size())
    return write(folder, seeded(AutoModel.from_config, config), tokenizer)


def save_masked_lm(folder: Path, family: str = "bert") -> Path:
    """Save a tiny random model with its masked-language head."""
    tokenizer = TOKENIZERS.get(family, word_piece)()
    config = config_of(family, tokenizer.get_vocab_size())
    return write(folder, seeded(AutoModelForMaskedLM.from_config, config), tokenizer)


HEADS = {
    "sequence": AutoModelForSequenceClassification,
    "token": AutoModelForTokenClassification,
    "answer": AutoModelForQuestionAnswering,
}


def save_head(folder: Path, family: str, head: str, **settings) -> Path:
    """Save a tiny random model with one of HEADS and changed settings."""
    tokenizer = TOKENIZERS.get(family, word_piece)()
    config = config_of(family, tokenizer.get_vocab_size())
    for name, value in settings.items():
        setattr(config, name, value)
    return write(folder, seeded(HEADS[head].from_config, config), tokenizer)


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
