"""Tokenisation: from text to token ids, with the characters and the word of each token."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from math import isqrt
from typing import Any

import numpy as np
from tokenizers import Encoding, Tokenizer

from model.capture.whitespace import show_byte_whitespace
from model.errors import HeadlightError

MAX_TOKENS = 512
"""Most tokens of a capture. All heads of a 12 x 12 model at 512 tokens take 151 MB."""

MOST_WEIGHTS = 12 * 12 * MAX_TOKENS**2
"""Most weights of a capture, all heads together. A model with more heads captures fewer tokens."""

MAX_CHARACTERS = 20_000
"""Most characters of a sentence: some 40 for each of MAX_TOKENS, where English needs 5. A long word
may be one token.
"""

UNSPACED = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\U00020000-\U0003ffff]"
)
"""Characters of scripts without spaces: Thai, Lao, Burmese, Khmer, kana, Chinese characters."""


@dataclass(frozen=True)
class Tokens:
    """A tokenised sentence or pair, T tokens.

    Attributes:
        offsets: Start and end character of each piece in its sentence; (0, 0) if the model added
            it.
        word_ids: Word number of each piece within its sentence, None for special tokens.
        left_out: The parts of both sentences beyond the length limit; mostly empty.
    """

    pieces: tuple[str, ...]
    ids: tuple[int, ...]
    offsets: tuple[tuple[int, int], ...]
    word_ids: tuple[int | None, ...]
    segment_ids: tuple[int, ...]
    left_out: tuple[str, str] = ("", "")

    def at(self, positions: Sequence[int]) -> "Tokens":
        """Select tokens."""
        names = ("pieces", "ids", "offsets", "word_ids", "segment_ids")
        chosen: dict[str, Any] = {n: tuple(getattr(self, n)[i] for i in positions) for n in names}
        return replace(self, **chosen)


@dataclass(frozen=True, eq=False)
class Keys:
    """The keys of cross-attention, Tk; ``special`` as in a capture, (Tk,), empty if unknown."""

    text: str
    text_pair: str | None
    tokens: tuple[str, ...]
    token_ids: tuple[int, ...]
    offsets: tuple[tuple[int, int], ...]
    word_ids: tuple[int | None, ...]
    segment_ids: tuple[int, ...]
    special: np.ndarray
    left_out: tuple[str, str] = ("", "")


def known_special(special: np.ndarray) -> np.ndarray:
    """Return which tokens the model added, (T,).

    Raises:
        HeadlightError: If it is unknown, and ``special`` is empty.
    """
    if not special.size:
        raise HeadlightError(
            "It was not recorded which tokens the model added, such as [CLS] or <s>, and this "
            "leaves them out. Record it as “special”, with a true or false for each token."
        )
    return special


def most_tokens(n_heads: int) -> int:
    """Compute how many tokens a capture can have."""
    return min(MAX_TOKENS, isqrt(MOST_WEIGHTS // n_heads))


def tokenize(
    tokenizer: Tokenizer, text: str, text_pair: str | None = None, max_len: int = MAX_TOKENS
) -> Tokens:
    """Tokenise a sentence or a pair, with the special tokens of the model.

    Args:
        text: The sentence. ``[MASK]`` in it is the mask token, if the model has one.
        max_len: Most tokens, special tokens included. A pair is cut at its longer sentence first.

    Raises:
        HeadlightError: If there is no text, or ``max_len`` leaves room for special tokens alone.
    """
    if not text.strip():
        raise HeadlightError("There is no text. Type a sentence.")
    texts = [text, text_pair] if text_pair and text_pair.strip() else [text]
    n_special = tokenizer.num_special_tokens_to_add(len(texts) == 2)
    if n_special >= max_len:
        raise HeadlightError(
            "The model reads only {max_len} tokens, which leaves no room for a text.",
            max_len=max_len,
        )
    sentences = [encode(tokenizer, each) for each in texts]
    lengths = _kept_lengths([len(sentence) for sentence in sentences], max_len - n_special)
    left_out = ["", ""]
    for i, (sentence, n_kept) in enumerate(zip(sentences, lengths, strict=True)):
        if n_kept < len(sentence):
            left_out[i] = texts[i][sentence.offsets[n_kept][0] :]
    # The special tokens come from an example. post_process on the real sentences would trim
    # byte-level offsets twice, lose the sentence of each token, and spend seconds on combining
    # the overflow of one sentence with the overflow of the other.
    first, *second = (_first_word(*each) for each in zip(texts, sentences, strict=True))
    frame = tokenizer.encode(first, second[0] if second else None)
    sequences = frame.sequence_ids
    if any(sentence and which not in sequences for which, sentence in enumerate(lengths)):
        raise HeadlightError("The tokenizer of this model takes one sentence, not a pair.")
    rows: list[_Row] = []
    ends: list[int] = []  # where each sentence ends
    for which, run in groupby(range(len(frame)), key=sequences.__getitem__):
        if which is None:
            rows += [(frame.tokens[i], frame.ids[i], (0, 0), None, frame.type_ids[i]) for i in run]
        else:
            segment = frame.type_ids[next(run)]
            rows += _rows(tokenizer, sentences[which], lengths[which], texts[which], segment)
            ends.append(len(rows))
    if not rows:
        raise HeadlightError("There is no text. Type a sentence.")
    pieces, ids, offsets, word_ids, segment_ids = zip(*rows, strict=True)
    if len(ends) == 2 and not any(segment_ids):
        segment_ids = _segments_by_position(len(rows), ends[0], ends[1] - lengths[1])
    return Tokens(pieces, ids, offsets, word_ids, segment_ids, (left_out[0], left_out[1]))


def _first_word(text: str, sentence: Encoding) -> str:
    """The characters of the first piece. Another vocabulary may lack any given letter."""
    return _without_surrogates(
        next((text[start:end] for start, end in sentence.offsets if start < end), text)
    )


def _without_surrogates(text: str) -> str:
    """Replace lone surrogates (half an emoji), which have no UTF-8 encoding, one by one."""
    return text.encode("utf-8", "replace").decode("utf-8")


_Row = tuple[str, int, tuple[int, int], int | None, int]
"""Piece, id, offsets, word and segment of one token."""


def encode(tokenizer: Tokenizer, text: str) -> Encoding:
    """Tokenise any text, also with lone surrogates, without special tokens."""
    return tokenizer.encode(_without_surrogates(text), add_special_tokens=False)


def _rows(
    tokenizer: Tokenizer, sentence: Encoding, n_kept: int, text: str, segment: int
) -> list[_Row]:
    offsets = sentence.offsets[:n_kept]
    # Not sentence.tokens: ALBERT's contain the typed text even if the vocabulary lacks it.
    ids = sentence.ids[:n_kept]
    pieces = [tokenizer.id_to_token(id_) or "" for id_ in ids]
    if "ByteLevel" in str(tokenizer.pre_tokenizer):
        # RoBERTa, ModernBERT: pieces are spelled in byte letters. Show the characters instead.
        pieces = [
            text[start:end].strip() or show_byte_whitespace(piece)
            for piece, (start, end) in zip(pieces, offsets, strict=True)
        ]
    words = word_numbers(text, offsets, sentence.word_ids[:n_kept])
    return list(zip(pieces, ids, offsets, words, [segment] * n_kept, strict=True))


def _kept_lengths(lengths: list[int], room: int) -> list[int]:
    """Divide the room between the sentences: cut the longer one first, down to an equal share."""
    if sum(lengths) <= room:
        return lengths
    if len(lengths) == 1:
        return [room]
    shorter = min(min(lengths), room // 2)
    return [shorter, room - shorter] if lengths[0] <= lengths[1] else [room - shorter, shorter]


def _segments_by_position(n_tokens: int, end: int, start: int) -> tuple[int, ...]:
    """Assign tokens of a pair to sentences, for templates that give 0 everywhere (RoBERTa's).

    In ``<s> first </s></s> second </s>`` a special token belongs to the sentence that it closes.
    """
    opening = end + (start - end + 1) // 2
    return tuple(int(position >= opening) for position in range(n_tokens))


def word_numbers(
    text: str, offsets: Sequence[tuple[int, int]], splits: Sequence[int | None]
) -> tuple[int | None, ...]:
    """Number the words of a text, from 0 for each token; None where ``splits`` is None.

    Most tokenizers say where they split a text before they look for pieces. SentencePiece-BPE
    (Llama 2, Gemma) does not: whitespace then separates the words, and each token of a script
    without spaces is one.

    Args:
        offsets: Start and end character of each token in the text.
        splits: A number that differs between two tokens if the tokenizer splits the text between
            them; None for a token that belongs to no word.
    """
    numbers: list[int | None] = []
    number, before = -1, None  # the token before, of a word
    for here, split in enumerate(splits):
        if split is None:
            numbers.append(None)
            continue
        if (
            before is None
            or splits[before] != split
            or _separate(text, *offsets[before], *offsets[here])
        ):
            number += 1
        numbers.append(number)
        before = here
    return tuple(numbers)


def _separate(text: str, start: int, end: int, next_start: int, next_end: int) -> bool:
    """Whether two neighbouring tokens belong to two words, by their characters."""
    # Bytes of one character; generated ones have no characters before the last.
    if (start, end) == (next_start, next_end) or start == end == next_start:
        return False
    # Spaces, such as "▁" alone, belong to the word that follows.
    only_spaces = not text[start:end].strip(" ")
    around = text[end:next_start] if only_spaces else text[end - 1 : next_start + 1]
    return any(each.isspace() for each in around) or UNSPACED.search(around) is not None
