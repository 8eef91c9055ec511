"""Tokens of a prompt and its continuation: their positions and words in the whole text."""

from bisect import bisect_right
from collections.abc import Container, Sequence

from tokenizers import Tokenizer

from model.capture.tokens import Tokens, word_numbers
from model.capture.whitespace import show_byte_whitespace
from model.catalogue.token_names import is_byte_level, special_ids

PARTIAL_CHARACTER = "\N{REPLACEMENT CHARACTER}"
"""Decoded in place of bytes that do not yet form a character."""


def append_continuation(
    tokenizer: Tokenizer, before: tuple[str, Tokens], written: Sequence[int], ends: Container[int]
) -> tuple[str, Tokens]:
    """Decode generated tokens and append them to the tokens of the prompt.

    Returns the continuation, and all tokens with offsets in prompt + continuation. If several
    tokens form a character, only the last one has its offsets.
    """
    prompt, tokens = before
    decoded = written[:-1] if written and written[-1] in ends else written
    stops = _stops(tokenizer, tokens.ids, decoded)
    text = _decode(tokenizer, [*tokens.ids, *decoded])[len(_decode(tokenizer, tokens.ids)) :]
    whole = prompt + text
    control = special_ids(tokenizer)
    offsets, pieces = list(tokens.offsets), list(tokens.pieces)
    start = len(prompt)
    for number, id_ in enumerate(written):
        stop = len(prompt) + stops[number] if number < len(stops) else start
        offsets.append((0, 0) if id_ in control else (start, stop))
        piece = str(tokenizer.id_to_token(id_))
        if is_byte_level(tokenizer) and id_ not in control:
            piece = whole[start:stop].strip() or show_byte_whitespace(piece)
        pieces.append(piece)
        start = stop
    ids = (*tokens.ids, *written)
    words = number_words(tokenizer, whole, offsets, [id_ in control for id_ in ids])
    return text, Tokens(tuple(pieces), ids, tuple(offsets), words, (0,) * len(ids))


def _decode(tokenizer: Tokenizer, ids: Sequence[int]) -> str:
    return tokenizer.decode(list(ids), skip_special_tokens=False)


def _stops(tokenizer: Tokenizer, prompt: Sequence[int], written: Sequence[int]) -> list[int]:
    """Count the complete characters of the continuation after each token."""
    n_before, stops = len(_decode(tokenizer, prompt)), [0]
    for number in range(len(written)):
        text = _decode(tokenizer, [*prompt, *written[: number + 1]])
        whole = text if number + 1 == len(written) else text.rstrip(PARTIAL_CHARACTER)
        stops.append(max(stops[-1], len(whole) - n_before))
    return stops[1:]


def number_words(
    tokenizer: Tokenizer, text: str, offsets: Sequence[tuple[int, int]], control: Sequence[bool]
) -> tuple[int | None, ...]:
    """Number the words of the whole text; the tokenizer splits it before each of its own words."""
    pre_tokenizer = tokenizer.pre_tokenizer
    words = pre_tokenizer.pre_tokenize_str(text) if pre_tokenizer else []
    starts = [start for _, (start, _) in words]
    splits = [
        None if is_control else bisect_right(starts, start)
        for (start, _), is_control in zip(offsets, control, strict=True)
    ]
    return word_numbers(text, offsets, splits)
