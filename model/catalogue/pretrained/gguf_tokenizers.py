"""Tokenizers from the metadata of a GGUF file."""

from typing import Any

from tokenizers import (
    AddedToken,
    Regex,
    Tokenizer,
    decoders,
    models,
    normalizers,
    pre_tokenizers,
    processors,
)
from transformers import LlamaTokenizer, PreTrainedTokenizerFast
from transformers.convert_slow_tokenizer import generate_merges
from transformers.models.qwen2.tokenization_qwen2 import PRETOKENIZE_REGEX

from model.errors import HeadlightError

CONTROL, USER_DEFINED = 3, 4
"""GGUF's types of tokens that are not cut: control tokens, such as <s>, and others."""


def _by_pattern(pattern: str) -> pre_tokenizers.PreTokenizer:
    return pre_tokenizers.Sequence(
        [
            pre_tokenizers.Split(Regex(pattern), "isolated"),
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
        ]
    )


BYTE_LEVEL = pre_tokenizers.ByteLevel(add_prefix_space=False)
BY_DIGIT = pre_tokenizers.Sequence([pre_tokenizers.Digits(individual_digits=True), BYTE_LEVEL])
QWEN2 = _by_pattern(PRETOKENIZE_REGEX)
LLAMA3 = _by_pattern(PRETOKENIZE_REGEX.replace(r"\p{N}|", r"\p{N}{1,3}|"))
"""Llama 3 keeps up to three digits together, Qwen2 one."""

WORDS = {"gpt-2": BYTE_LEVEL, "smollm": BY_DIGIT, "llama-bpe": LLAMA3, "qwen2": QWEN2}
"""What cuts a text into words, by GGUF's name (tokenizer.ggml.pre)."""

DEFAULTS = {"gpt2": "gpt-2", "llama": "llama-bpe", "qwen2": "qwen2"}
"""Name of the words of an architecture in files that give none."""


def tokenizer(name: str, declared: dict[str, Any]) -> PreTrainedTokenizerFast:
    """Build the tokenizer that a file describes.

    Args:
        name: Name of the model, for errors.
        declared: Settings of the file.

    Raises:
        HeadlightError: If the file describes another kind of tokenizer.
        KeyError: If a setting is missing.
    """
    kind = declared["tokenizer.ggml.model"]
    if kind == "gpt2":
        return _byte_level(name, declared)
    if kind == "llama":
        return _sentence_piece(declared)
    raise _unknown(name, kind)


def _unknown(name: str, kind: str) -> HeadlightError:
    return HeadlightError(
        "The GGUF file of {name} has a tokenizer of type {kind}. Headlight reads these: {known}.",
        name=name,
        kind=kind,
        known=", ".join(("llama", *WORDS)),
    )


def _byte_level(name: str, declared: dict[str, Any]) -> PreTrainedTokenizerFast:
    pieces = declared["tokenizer.ggml.tokens"]
    merges = [tuple(merge.split(" ")) for merge in declared["tokenizer.ggml.merges"]]
    words = declared.get("tokenizer.ggml.pre", "default")
    if words == "default":
        words = DEFAULTS[declared["general.architecture"]]
    if words not in WORDS:
        raise _unknown(name, words)
    of_llama3 = words == "llama-bpe"
    vocabulary = {piece: id_ for id_, piece in enumerate(pieces)}
    # Llama 3 takes a whole word that is a token, even if no merges lead to it.
    built = Tokenizer(models.BPE(vocabulary, merges, ignore_merges=of_llama3))
    built.pre_tokenizer = WORDS[words]
    built.decoder = decoders.ByteLevel()
    if words == "qwen2":
        built.normalizer = normalizers.NFC()
    _add_uncut(built, declared)
    if declared.get("tokenizer.ggml.add_bos_token", of_llama3):
        bos = declared["tokenizer.ggml.bos_token_id"]
        built.post_processor = processors.TemplateProcessing(
            f"{pieces[bos]} $A", special_tokens=[(pieces[bos], bos)]
        )
    return PreTrainedTokenizerFast(tokenizer_object=built, **_settings(declared))  # type: ignore[no-untyped-call]


def _sentence_piece(declared: dict[str, Any]) -> PreTrainedTokenizerFast:
    """Build SentencePiece's BPE: the merges follow from the scores of the tokens."""
    pieces, types = declared["tokenizer.ggml.tokens"], declared["tokenizer.ggml.token_type"]
    vocabulary = {piece: id_ for id_, piece in enumerate(pieces)}
    scores = dict(zip(pieces, declared["tokenizer.ggml.scores"], strict=True))
    uncut = {piece for piece, type_ in zip(pieces, types, strict=True) if type_ != 1}
    built: PreTrainedTokenizerFast = LlamaTokenizer(
        vocab=vocabulary,
        merges=generate_merges(vocabulary, scores, uncut),
        add_bos_token=declared.get("tokenizer.ggml.add_bos_token", True),
        add_prefix_space=declared.get("tokenizer.ggml.add_space_prefix", True),
        unk_token=pieces[declared.get("tokenizer.ggml.unknown_token_id", 0)],
        **_settings(declared),
    )
    _add_uncut(built.backend_tokenizer, declared)
    return built


def _add_uncut(built: Tokenizer, declared: dict[str, Any]) -> None:
    pieces, types = declared["tokenizer.ggml.tokens"], declared["tokenizer.ggml.token_type"]
    for type_, add in ((CONTROL, built.add_special_tokens), (USER_DEFINED, built.add_tokens)):
        of_type = [piece for piece, each in zip(pieces, types, strict=True) if each == type_]
        add([AddedToken(piece, normalized=False, special=type_ == CONTROL) for piece in of_type])


def _settings(declared: dict[str, Any]) -> dict[str, str | None]:
    pieces = declared["tokenizer.ggml.tokens"]
    ids = {end: declared.get(f"tokenizer.ggml.{end}_token_id") for end in ("bos", "eos")}
    tokens = {f"{end}_token": pieces[id_] for end, id_ in ids.items() if id_ is not None}
    return {**tokens, "chat_template": declared.get("tokenizer.chat_template")}
