"""From text to token ids, with the way back: which characters and which word a token is."""

from dataclasses import dataclass
from itertools import groupby
from math import isqrt

import numpy as np
from tokenizers import Encoding, Tokenizer

from model.capture.blanks import blank_piece
from model.errors import HeadlightError

MAX_TOKENS = 512
"""No capture is longer: all heads of a 12 x 12 model at 512 tokens already take 151 MB."""

MOST_WEIGHTS = 12 * 12 * MAX_TOKENS**2
"""Of all heads of a capture together: with more heads there is room for fewer tokens."""

MAX_CHARACTERS = 20_000
"""Of a sentence that a page takes: some 40 for each of MAX_TOKENS, where English needs 5. A word
without end is one token, but would be kept, letter by letter, in everything computed from it."""


@dataclass(frozen=True)
class Tokens:
    """A tokenised sentence or pair, T tokens.

    Attributes:
        pieces: The vocabulary's pieces, special tokens included, length T.
        ids: Their ids, length T.
        offsets: Start and end character of each piece in its own sentence; (0, 0) for specials.
        word_ids: Word number of each piece within its sentence, None for special tokens.
        segment_ids: 0 for the first sentence, 1 for the second, length T.
        left_out: What was cut from the first and the second sentence for length; mostly empty.
    """

    pieces: tuple[str, ...]
    ids: tuple[int, ...]
    offsets: tuple[tuple[int, int], ...]
    word_ids: tuple[int | None, ...]
    segment_ids: tuple[int, ...]
    left_out: tuple[str, str] = ("", "")


@dataclass(frozen=True, eq=False)
class Keys:
    """The tokens that are attended to where they are not those that attend, Tk of them.

    Attributes:
        text: The text that they are of.
        text_pair: Its second sentence, or None.
        tokens: Pieces, length Tk; the rest as in :class:`AttentionCapture`.
        token_ids: Their ids, length Tk.
        offsets: Start and end character of each in its sentence.
        word_ids: Word number of each, None for special tokens.
        segment_ids: Sentence of each, 0 or 1.
        special: Boolean (Tk,), True for tokens that the model added.
        left_out: What the model's length limit cut off.
    """

    text: str
    text_pair: str | None
    tokens: tuple[str, ...]
    token_ids: tuple[int, ...]
    offsets: tuple[tuple[int, int], ...]
    word_ids: tuple[int | None, ...]
    segment_ids: tuple[int, ...]
    special: np.ndarray
    left_out: tuple[str, str] = ("", "")


def most_tokens(n_heads: int) -> int:
    """How many tokens a capture has room for.

    Args:
        n_heads: Of all layers together.
    """
    return min(MAX_TOKENS, isqrt(MOST_WEIGHTS // n_heads))


def tokenize(
    tokenizer: Tokenizer, text: str, text_pair: str | None = None, max_len: int = MAX_TOKENS
) -> Tokens:
    """Tokenise a sentence, or a pair, with the model's own special tokens around it.

    Args:
        tokenizer: A ``tokenizers.Tokenizer``; shared by all threads, so it is not changed here.
        text: The sentence. ``[MASK]`` in it is the mask token, if the model has one.
        text_pair: A second sentence, or None.
        max_len: Most tokens to keep; a pair is cut at its longer sentence first.

    Raises:
        HeadlightError: If there is no text, or no room beside the special tokens.
    """
    if not text.strip():
        raise HeadlightError("There is no text to look at: type a sentence.")
    texts = [text, text_pair] if text_pair and text_pair.strip() else [text]
    n_special = tokenizer.num_special_tokens_to_add(len(texts) == 2)
    if n_special >= max_len:
        raise HeadlightError("The model takes {max_len} tokens: too few.", max_len=max_len)
    sentences = [_encode(tokenizer, each) for each in texts]
    kept = _kept_lengths([len(sentence) for sentence in sentences], max_len - n_special)
    left_out = ["", ""]
    for i, (sentence, n_kept) in enumerate(zip(sentences, kept, strict=True)):
        if n_kept < len(sentence):
            left_out[i] = texts[i][sentence.offsets[n_kept][0] :]
    rows: list[_Row] = []
    # The special tokens are read off an example. post_process on the sentences themselves would
    # trim byte-level offsets a second time, forget which tokens are the first sentence's, and
    # combine everything that was cut from one with everything cut from the other, for seconds.
    frame = tokenizer.encode("a", "a" if len(texts) == 2 else None)
    order = iter(range(len(texts)))
    for is_special, run in groupby(range(len(frame)), key=frame.special_tokens_mask.__getitem__):
        if is_special:
            rows += [(frame.tokens[i], frame.ids[i], (0, 0), None, frame.type_ids[i]) for i in run]
        else:
            which, segment = next(order), frame.type_ids[next(run)]
            rows += _rows(tokenizer, sentences[which], kept[which], texts[which], segment)
    if not rows:
        raise HeadlightError("There is no text to look at: type a sentence.")
    pieces, ids, offsets, word_ids, segment_ids = zip(*rows, strict=True)
    if len(texts) == 2 and not any(segment_ids):
        segment_ids = _segments_by_position(len(rows), kept[0])
    return Tokens(pieces, ids, offsets, word_ids, segment_ids, (left_out[0], left_out[1]))


_Row = tuple[str, int, tuple[int, int], int | None, int]
"""Piece, id, offsets, word and segment of one token."""


def _encode(tokenizer: Tokenizer, text: str) -> Encoding:
    # A lone surrogate (half an emoji) has no UTF-8; it becomes "?", one character like it.
    text = text.encode("utf-8", "replace").decode("utf-8")
    return tokenizer.encode(text, add_special_tokens=False)


def _rows(
    tokenizer: Tokenizer, sentence: Encoding, n_kept: int, text: str, segment: int
) -> list[_Row]:
    offsets = sentence.offsets[:n_kept]
    # Not the encoding's own tokens: ALBERT's are what was typed, where the vocabulary lacks it too.
    ids = sentence.ids[:n_kept]
    pieces = [tokenizer.id_to_token(id_) or "" for id_ in ids]
    if "ByteLevel" in str(tokenizer.pre_tokenizer):
        # RoBERTa, ModernBERT: the pieces spell text in stand-ins for bytes. A person reads the
        # characters that a piece covers.
        pieces = [
            text[start:end].strip() or blank_piece(piece)
            for piece, (start, end) in zip(pieces, offsets, strict=True)
        ]
    words = sentence.word_ids[:n_kept]
    return list(zip(pieces, ids, offsets, words, [segment] * n_kept, strict=True))


def _kept_lengths(lengths: list[int], room: int) -> list[int]:
    """Cut the longer sentence first, down to an even share of the room."""
    if sum(lengths) <= room:
        return lengths
    if len(lengths) == 1:
        return [room]
    shorter = min(min(lengths), room // 2)
    return [shorter, room - shorter] if lengths[0] <= lengths[1] else [room - shorter, shorter]


def _segments_by_position(n_tokens: int, n_first: int) -> tuple[int, ...]:
    """Sentence of each token of a pair, for templates that give 0 everywhere (RoBERTa's).

    In ``<s> first </s></s> second </s>`` a special token belongs to the sentence that it closes.
    """
    n_opening = 2 + n_first  # the opening token, the first sentence, its closing token
    return tuple(int(position >= n_opening) for position in range(n_tokens))
