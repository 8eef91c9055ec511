"""Where the tokens stand that a decoder wrote behind a prompt, and of which words they are."""

from bisect import bisect_right
from collections.abc import Container, Sequence

from tokenizers import Tokenizer

from model.capture.blanks import blank_piece
from model.capture.tokens import Tokens
from model.catalogue.token_names import is_byte_level

HALF = "\N{REPLACEMENT CHARACTER}"
"""What stands in a text for bytes that are not yet a whole character."""


def written_behind(
    tokenizer: Tokenizer, before: tuple[str, Tokens], written: Sequence[int], ends: Container[int]
) -> tuple[str, Tokens]:
    """The text that was written, and the tokens of prompt and text together.

    Args:
        tokenizer: The model's.
        before: The prompt, and its tokens.
        written: The ids of the tokens behind it.
        ends: The tokens that end a text: the one that did is not spelled.

    Returns:
        What was written as a person reads it, and all tokens with their places in the prompt with
        the text behind it. Of a character of several tokens, the last one has the place.
    """
    prompt, tokens = before
    spelled = written[:-1] if written and written[-1] in ends else written
    stops = _stops(tokenizer, tokens.ids, spelled)
    text = _decoded(tokenizer, [*tokens.ids, *spelled])[len(_decoded(tokenizer, tokens.ids)) :]
    whole = prompt + text
    control = {id_ for id_, added in tokenizer.get_added_tokens_decoder().items() if added.special}
    offsets, pieces = list(tokens.offsets), list(tokens.pieces)
    start = len(prompt)
    for number, id_ in enumerate(written):
        stop = len(prompt) + stops[number] if number < len(stops) else start
        offsets.append((0, 0) if id_ in control else (start, stop))
        piece = str(tokenizer.id_to_token(id_))
        if is_byte_level(tokenizer) and id_ not in control:
            piece = whole[start:stop].strip() or blank_piece(piece)
        pieces.append(piece)
        start = stop
    ids = (*tokens.ids, *written)
    words = _words(tokenizer, whole, offsets, [id_ in control for id_ in ids])
    return text, Tokens(tuple(pieces), ids, tuple(offsets), words, (0,) * len(ids))


def _decoded(tokenizer: Tokenizer, ids: Sequence[int]) -> str:
    return tokenizer.decode(list(ids), skip_special_tokens=False)


def _stops(tokenizer: Tokenizer, prompt: Sequence[int], written: Sequence[int]) -> list[int]:
    """How many characters are written after each token; a half character is none yet."""
    n_before, stops = len(_decoded(tokenizer, prompt)), [0]
    for number in range(len(written)):
        text = _decoded(tokenizer, [*prompt, *written[: number + 1]])
        whole = text if number + 1 == len(written) else text.rstrip(HALF)
        stops.append(max(stops[-1], len(whole) - n_before))
    return stops[1:]


def _words(
    tokenizer: Tokenizer, text: str, offsets: Sequence[tuple[int, int]], control: Sequence[bool]
) -> tuple[int | None, ...]:
    """The word in which each token begins; each its own where a vocabulary has no words."""
    cutter = tokenizer.pre_tokenizer
    starts = [start for _, (start, _) in cutter.pre_tokenize_str(text)] if cutter else None
    return tuple(
        None
        if is_control
        else position
        if starts is None
        else max(0, bisect_right(starts, offset[0]) - 1)
        for position, (offset, is_control) in enumerate(zip(offsets, control, strict=True))
    )
