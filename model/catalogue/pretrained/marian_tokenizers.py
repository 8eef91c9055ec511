"""Marian's tokenizers: SentencePiece files split text into pieces, a vocabulary gives their ids.

transformers reads them with a library that is not a requirement here. ``tokenizers`` computes the
same from their contents (Kudo 2018, "Subword Regularization": the most probable pieces).
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
"""Most bytes of a file; those of a vocabulary of 60,000 have 1 MB."""

UNIGRAM = 1
"""Type of Marian's SentencePiece models."""

READ = (1, 4)
"""Types of pieces that occur in text: trained pieces and user-defined ones."""

END, UNKNOWN, PADDING = "</s>", "<unk>", "<pad>"


def marian_tokenizers(name: str, folder: Path) -> tuple[Tokenizer, Tokenizer, int]:
    """Load the tokenizer of the source, and the tokenizer of the target, which only decodes.

    In the source tokenizer, ids beyond the vocabulary stand for pieces that the vocabulary lacks.

    Args:
        name: Name of the model.
        folder: Folder of ``source.spm`` and ``vocab.json``, and of ``target_vocab.json`` for models
            with two vocabularies.

    Returns:
        The two tokenizers, and the size of the source's vocabulary.

    Raises:
        HeadlightError: If the files are missing or cannot be read.
    """
    files = [folder / "source.spm", folder / "vocab.json"]
    if not all(file.is_file() for file in files):
        raise HeadlightError(
            "{name} has no tokenizer. Marian models need source.spm and vocab.json.", name=name
        )
    try:
        vocabulary = _vocabulary(files[1])
        target_file = folder / "target_vocab.json"
        target_vocabulary = _vocabulary(target_file) if target_file.is_file() else vocabulary
        proto = import_protobuf().ModelProto.FromString(  # type: ignore[no-untyped-call]
            _content(files[0])
        )
        if proto.trainer_spec.model_type != UNIGRAM:
            raise ValueError(proto.trainer_spec.model_type)
        tokenizers = _source_tokenizer(proto, vocabulary), _target_tokenizer(target_vocabulary)
        return *tokenizers, len(vocabulary)
    except Exception as error:  # protobuf, tokenizers and json raise many types
        raise HeadlightError("Headlight cannot read the tokenizer of {name}.", name=name) from error


def _content(file: Path) -> bytes:
    with file.open("rb") as opened:
        content = opened.read(MOST_BYTES + 1)
    if len(content) > MOST_BYTES:
        raise ValueError(len(content))
    return content


def _vocabulary(file: Path) -> dict[str, int]:
    """Pieces with their ids, which are 0 to n - 1."""
    read = json.loads(_content(file).decode("utf-8"))
    if sorted(read.values()) != list(range(len(read))):
        raise ValueError(file.name)
    return dict(read)


def _source_tokenizer(proto: Any, vocabulary: dict[str, int]) -> Tokenizer:
    scores = {piece.piece: piece.score for piece in proto.pieces if piece.type in READ}
    control = [piece for piece in vocabulary if piece in (END, UNKNOWN, PADDING) or _is_code(piece)]
    # Pieces of the target language get a placeholder that no text matches.
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


def _target_tokenizer(vocabulary: dict[str, int]) -> Tokenizer:
    tokenizer = Tokenizer(models.WordLevel(vocabulary, unk_token=UNKNOWN))
    tokenizer.decoder = decoders.Metaspace()
    control = [piece for piece in (END, UNKNOWN, PADDING) if piece in vocabulary]
    tokenizer.add_special_tokens(
        [AddedToken(piece, normalized=False, special=True) for piece in control]
    )
    return tokenizer


def _is_code(piece: str) -> bool:
    """Check whether a piece names the target language, like ``>>fra<<``."""
    return piece.startswith(">>") and piece.endswith("<<")
