"""Sentences whose grammar people have written down: Universal Dependencies, CoNLL-U files."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

import conllu
from conllu.exceptions import ParseException

from model.errors import HeadlightError


@dataclass(frozen=True)
class Parsed:
    """A sentence of a treebank, W words.

    Attributes:
        words: As they were written, length W.
        heads: For each word, which word it depends on, from 0; -1 for the root, length W.
        relations: What it is to that word: ``obj``, ``nsubj``, ``root``, length W. Subtypes
            (``nmod:desc``) are left out.
    """

    words: tuple[str, ...]
    heads: tuple[int, ...]
    relations: tuple[str, ...]

    @property
    def text(self) -> str:
        """The words, a space between any two."""
        return " ".join(self.words)

    @property
    def spans(self) -> tuple[tuple[int, int], ...]:
        """Start and end character of each word in :attr:`text`."""
        spans = []
        start = 0
        for word in self.words:
            spans.append((start, start + len(word)))
            start += len(word) + 1
        return tuple(spans)


def parsed_sentences(file: Path) -> Iterator[Parsed]:
    """Read a CoNLL-U file sentence by sentence.

    Contracted tokens (``1-2``) and words that were not written (``1.1``) are not part of the tree.

    Raises:
        HeadlightError: If the file is missing, or a sentence is malformed: which, and in what line.
    """
    try:
        with file.open(encoding="utf-8") as lines:
            for number, block in enumerate(_blocks(lines), start=1):
                yield _parsed(block, number, file)
    except (OSError, UnicodeDecodeError) as error:
        raise HeadlightError("The treebank {name} cannot be read.", name=str(file)) from error


_Line = tuple[int, str]
"""Number in the file, from 1, and text."""


def _blocks(lines: Iterable[str]) -> Iterator[list[_Line]]:
    """The lines of each sentence, comments included: a blank line ends it."""
    numbered = enumerate(lines, start=1)
    for blank, block in groupby(numbered, key=lambda line: not line[1].strip()):
        if not blank:
            yield list(block)


def _parsed(block: list[_Line], number: int, file: Path) -> Parsed:
    """One sentence. Its lines are parsed one by one, so that a mistake has a line number."""
    words: list[tuple[int, conllu.Token]] = []
    try:
        for line, text in block:
            for token in conllu.parse_token_and_metadata(text):  # none in a comment
                if not isinstance(token["id"], tuple):
                    words.append((line, token))
        if not words:
            raise ValueError("it has no words")
        for place, (at, word) in enumerate(words, start=1):
            line = at
            _check(word, place, len(words))
    except (ParseException, ValueError) as error:
        raise HeadlightError(
            "Sentence {number} of {name} is malformed, in line {line}: {reason}",
            number=number,
            name=str(file),
            line=line,
            reason=str(error),
        ) from error
    return Parsed(
        tuple(word["form"] for _, word in words),
        tuple(word["head"] - 1 for _, word in words),
        tuple(word["deprel"].partition(":")[0] for _, word in words),
    )


def _check(word: conllu.Token, place: int, n_words: int) -> None:
    if word["id"] != place:
        raise ValueError(f"this should be its word {place}")
    head = word.get("head")
    if head is None or not (word.get("form") or "").strip() or word.get("deprel") in _NO_RELATION:
        raise ValueError("a word lacks its form, its head or its relation")
    if head == place or not 0 <= head <= n_words:
        raise ValueError("a word depends on itself, or on one that is not there")


_NO_RELATION = (None, "", "_")
