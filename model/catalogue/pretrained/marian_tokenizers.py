"""Marian's two tokenizers: SentencePiece files that cut text, and a vocabulary that numbers pieces.

transformers reads them with a library that is not among the requirements; what they hold is what
``tokenizers`` computes with (Kudo 2018, "Subword Regularization": the likeliest pieces).
"""

import json
from pathlib import Path
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
from transformers.convert_slow_tokenizer import import_protobuf

from model.errors import HeadlightError

MOST_BYTES = 16 * 1024**2
"""Of a file; those of a vocabulary of 60,000 have 1 MB."""

UNIGRAM = 1
"""The kind of SentencePiece model that Marian's are."""

READ = (1, 4)
"""Kinds of pieces that text is cut into: those of the training, and those that a user named."""

END, UNKNOWN, PADDING = "</s>", "<unk>", "<pad>"


def marian_tokenizers(name: str, folder: Path) -> tuple[Tokenizer, Tokenizer, int]:
    """The tokenizer of what is read, and that of what is written, which only spells.

    Of the first, ids beyond the vocabulary stand for pieces that the vocabulary lacks: the third
    result is how many the vocabulary has.

    Args:
        name: What the model is called.
        folder: Where ``source.spm`` and ``vocab.json`` are (and ``target_vocab.json`` of models
            with two vocabularies).

    Raises:
        HeadlightError: If they are missing or cannot be read.
    """
    files = [folder / "source.spm", folder / "vocab.json"]
    if not all(file.is_file() for file in files):
        raise HeadlightError(
            "{name} has no tokenizer: Marian's are source.spm and vocab.json.", name=name
        )
    try:
        vocabulary = _vocabulary(files[1])
        others = folder / "target_vocab.json"
        written = _vocabulary(others) if others.is_file() else vocabulary
        proto = import_protobuf().ModelProto.FromString(  # type: ignore[no-untyped-call]
            _content(files[0])
        )
        if proto.trainer_spec.model_type != UNIGRAM:
            raise ValueError(proto.trainer_spec.model_type)
        return _reading(proto, vocabulary), _writing(written), len(vocabulary)
    except Exception as error:  # of protobuf, of tokenizers, of JSON
        raise HeadlightError("{name} has no tokenizer that can be read.", name=name) from error


def _content(file: Path) -> bytes:
    with file.open("rb") as opened:
        content = opened.read(MOST_BYTES + 1)
    if len(content) > MOST_BYTES:
        raise ValueError(len(content))
    return content


def _vocabulary(file: Path) -> dict[str, int]:
    """Pieces with their numbers, which are 0 to n - 1."""
    read = json.loads(_content(file).decode("utf-8"))
    if sorted(read.values()) != list(range(len(read))):
        raise ValueError(file.name)
    return dict(read)


def _reading(proto: Any, vocabulary: dict[str, int]) -> Tokenizer:
    scores = {piece.piece: piece.score for piece in proto.pieces if piece.type in READ}
    control = [piece for piece in vocabulary if piece in (END, UNKNOWN, PADDING) or _is_code(piece)]
    # A piece of the other language is none of this one's: text never matches what stands for it.
    numbered = {id_: piece for piece, id_ in vocabulary.items()}
    matched = {*scores, *control}
    pieces = [
        (piece if piece in matched else f"\0{id_}", scores.get(piece, 0.0))
        for id_, piece in sorted(numbered.items())
    ]
    beyond = [(piece, score) for piece, score in scores.items() if piece not in vocabulary]
    tokenizer = Tokenizer(models.Unigram([*pieces, *beyond], unk_id=vocabulary[UNKNOWN]))
    charsmap = proto.normalizer_spec.precompiled_charsmap
    tokenizer.normalizer = normalizers.Sequence(
        [
            *([normalizers.Precompiled(charsmap)] if charsmap else []),
            normalizers.Strip(),
            normalizers.Replace(Regex(" {2,}"), " "),
        ]
    )
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    tokenizer.decoder = decoders.Metaspace()
    tokenizer.add_special_tokens(
        [AddedToken(piece, normalized=False, special=True) for piece in control]
    )
    tokenizer.post_processor = processors.TemplateProcessing(
        single=f"$A {END}", special_tokens=[(END, vocabulary[END])]
    )
    return tokenizer


def _writing(vocabulary: dict[str, int]) -> Tokenizer:
    tokenizer = Tokenizer(models.WordLevel(vocabulary, unk_token=UNKNOWN))
    tokenizer.decoder = decoders.Metaspace()
    control = [piece for piece in (END, UNKNOWN, PADDING) if piece in vocabulary]
    tokenizer.add_special_tokens(
        [AddedToken(piece, normalized=False, special=True) for piece in control]
    )
    return tokenizer


def _is_code(piece: str) -> bool:
    """Whether it names the language to write, as ``>>fra<<`` does."""
    return piece.startswith(">>") and piece.endswith("<<")
