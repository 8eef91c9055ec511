"""Marian's tokenizers: a SentencePiece file splits text into pieces, a vocabulary gives their ids.

MarianTokenizer of transformers gives no offsets. Its converter of SentencePiece files makes a
tokenizer that has them, with the same pieces.
"""

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from tokenizers import AddedToken, Tokenizer, decoders, models, processors
from transformers.convert_slow_tokenizer import SpmConverter

from model.errors import HeadlightError

MOST_BYTES = 16 * 1024**2
"""Most bytes of a file; those of a vocabulary of 60,000 have 1 MB."""

UNIGRAM = 1
"""Type of Marian's SentencePiece models."""

READ = (1, 4)
"""Types of pieces that occur in text: trained pieces and user-defined ones."""

END, UNKNOWN, PADDING = "</s>", "<unk>", "<pad>"


class _Converter(SpmConverter):
    """Reads a SentencePiece file; its pieces get the ids of a vocabulary."""

    def __init__(self, file: Path, vocabulary: dict[str, int]) -> None:
        super().__init__(SimpleNamespace(vocab_file=str(file)))  # type: ignore[no-untyped-call]
        self.vocabulary = vocabulary

    def tokenizer(self, proto: Any) -> Tokenizer:
        """Make the model. Ids beyond the vocabulary are pieces that the vocabulary lacks."""
        if proto.trainer_spec.model_type != UNIGRAM:
            raise ValueError(proto.trainer_spec.model_type)
        scores = {piece.piece: piece.score for piece in proto.pieces if piece.type in READ}
        control = [
            piece
            for piece in self.vocabulary
            if piece in (END, UNKNOWN, PADDING) or (piece.startswith(">>") and piece.endswith("<<"))
        ]
        # Pieces of the target language get a placeholder that no text matches.
        matched = {*scores, *control}
        numbered = sorted(self.vocabulary.items(), key=lambda item: item[1])
        pieces = [
            (piece if piece in matched else f"\0{id_}", scores.get(piece, 0.0))
            for piece, id_ in numbered
        ]
        beyond = [item for item in scores.items() if item[0] not in self.vocabulary]
        made = Tokenizer(models.Unigram([*pieces, *beyond], unk_id=self.vocabulary[UNKNOWN]))
        made.add_special_tokens([AddedToken(piece, normalized=False) for piece in control])
        return made

    def post_processor(self) -> Any:
        """End each text with the end token."""
        return processors.TemplateProcessing(
            f"$A {END}", special_tokens=[(END, self.vocabulary[END])]
        )


def marian_tokenizers(
    name: str, folder: Path
) -> tuple[Tokenizer, Tokenizer, Tokenizer | None, int]:
    """Load the tokenizers of a source, of generated ids, and (or None) of a given target.

    The folder has ``source.spm`` and ``vocab.json``, and models with two vocabularies
    ``target_vocab.json``. The last item is the size of the source's vocabulary; larger ids are
    pieces that it lacks.
    """
    files = [folder / "source.spm", folder / "vocab.json"]
    if not all(file.is_file() for file in files):
        raise HeadlightError(
            "{name} has no tokenizer. Marian models need source.spm and vocab.json.", name=name
        )
    try:
        vocabulary = _vocabulary(files[1])
        own, pieces = folder / "target_vocab.json", folder / "target.spm"
        target = _vocabulary(own) if own.is_file() else vocabulary
        return (
            _reader(files[0], vocabulary),
            _target_tokenizer(target),
            _reader(pieces, target) if pieces.is_file() else None,
            len(vocabulary),
        )
    except Exception as error:  # protobuf, tokenizers and json raise many types
        raise HeadlightError("Headlight cannot read the tokenizer of {name}.", name=name) from error


def _reader(file: Path, vocabulary: dict[str, int]) -> Tokenizer:
    if file.stat().st_size > MOST_BYTES:
        raise ValueError(file)
    tokenizer: Tokenizer = _Converter(file, vocabulary).converted()
    return tokenizer


def _vocabulary(file: Path) -> dict[str, int]:
    """Pieces with their ids, which are 0 to n - 1."""
    if file.stat().st_size > MOST_BYTES:
        raise ValueError(file)
    read = json.loads(file.read_text("utf-8"))
    if sorted(read.values()) != list(range(len(read))):
        raise ValueError(file.name)
    return dict(read)


def _target_tokenizer(vocabulary: dict[str, int]) -> Tokenizer:
    tokenizer = Tokenizer(models.WordLevel(vocabulary, unk_token=UNKNOWN))
    tokenizer.decoder = decoders.Metaspace()
    control = [piece for piece in (END, UNKNOWN, PADDING) if piece in vocabulary]
    tokenizer.add_special_tokens([AddedToken(piece, normalized=False) for piece in control])
    return tokenizer
