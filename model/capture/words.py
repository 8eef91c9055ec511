"""Words of a text: where one ends and the next begins between two tokens."""

import re
from collections.abc import Sequence

UNSPACED = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\U00020000-\U0003ffff]"
)
"""Characters of scripts without spaces: Thai, Lao, Burmese, Khmer, kana, Chinese characters."""


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
