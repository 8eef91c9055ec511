"""Reader of treebanks: Universal Dependencies, CoNLL-U files."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import accumulate, groupby
from pathlib import Path

import conllu
from conllu.exceptions import ParseException

from model.errors import HeadlightError


@dataclass(frozen=True)
class ParsedSentence:
    """A sentence of a treebank, W words.

    ``heads`` are the indices of their syntactic heads, from 0; -1 for the root. ``relations`` are
    those to their heads (``obj``, ``nsubj``, ``root``), without subtypes (``nmod:desc``).
    """

    words: tuple[str, ...]
    heads: tuple[int, ...]
    relations: tuple[str, ...]

    @property
    def text(self) -> str:
        """Words joined by spaces."""
        return " ".join(self.words)

    @property
    def spans(self) -> tuple[tuple[int, int], ...]:
        """Start and end character of each word in :attr:`text`."""
        ends = accumulate(len(word) + 1 for word in self.words)
        pairs = zip(self.words, ends, strict=True)
        return tuple((end - 1 - len(word), end - 1) for word, end in pairs)


def read_treebank(file: Path) -> Iterator[ParsedSentence]:
    """Read a CoNLL-U file, without contracted tokens (``1-2``) and empty nodes (``1.1``)."""
    try:
        with file.open(encoding="utf-8") as lines:
            # Blank lines separate sentences.
            blocks = groupby(lines, key=lambda line: bool(line.strip()))
            texts = ("".join(block) for filled, block in blocks if filled)
            for number, text in enumerate(texts, start=1):
                yield _parsed(text, number, str(file))
    except FileNotFoundError as error:
        raise HeadlightError("There is no file {name}. Check its path.", name=str(file)) from error
    except (OSError, UnicodeDecodeError) as error:
        raise HeadlightError("The treebank {name} cannot be read.", name=str(file)) from error


def _parsed(text: str, number: int, name: str) -> ParsedSentence:
    try:
        tokens = (token for each in conllu.parse(text) for token in each)
        words = [token for token in tokens if not isinstance(token["id"], tuple)]
        if not words:
            raise ValueError("it has no words")
        for place, word in enumerate(words, start=1):
            _check(word, place, len(words))
    except (ParseException, ValueError) as error:
        raise HeadlightError(
            "Sentence {number} of {name} is malformed: {reason}",
            number=number,
            name=name,
            reason=str(error),
        ) from error
    return ParsedSentence(
        tuple(word["form"] for word in words),
        tuple(word["head"] - 1 for word in words),
        tuple(word["deprel"].partition(":")[0] for word in words),
    )


def _check(word: conllu.Token, place: int, n_words: int) -> None:
    head, form, relation = (word.get(name) for name in ("head", "form", "deprel"))
    if word["id"] != place:
        raise ValueError(f"word {place} has another number")
    if head is None or not (form or "").strip() or relation in (None, "", "_"):
        raise ValueError(f"word {place} lacks its form, its head or its relation")
    if head == place or not 0 <= head <= n_words:
        raise ValueError(f"word {place} depends on itself, or on a missing word")
