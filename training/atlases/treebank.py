"""Reader of treebanks: Universal Dependencies, CoNLL-U files."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

import conllu
from conllu.exceptions import ParseException

from model.errors import HeadlightError


@dataclass(frozen=True)
class ParsedSentence:
    """A sentence of a treebank, W words.

    Attributes:
        heads: Index of the syntactic head of each word, from 0; -1 for the root, length W.
        relations: Relation of each word to its head: ``obj``, ``nsubj``, ``root``, length W,
            without subtypes (``nmod:desc``).
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
        spans = []
        start = 0
        for word in self.words:
            spans.append((start, start + len(word)))
            start += len(word) + 1
        return tuple(spans)


def read_treebank(file: Path) -> Iterator[ParsedSentence]:
    """Read a CoNLL-U file sentence by sentence.

    Contracted tokens (``1-2``) and empty nodes (``1.1``) are not part of the tree and are skipped.
    """
    try:
        with file.open(encoding="utf-8") as lines:
            for number, block in enumerate(_blocks(lines), start=1):
                yield _parsed(block, number, str(file))
    except FileNotFoundError as error:
        raise HeadlightError("There is no file {name}. Check its path.", name=str(file)) from error
    except (OSError, UnicodeDecodeError) as error:
        raise HeadlightError("The treebank {name} cannot be read.", name=str(file)) from error


_Line = tuple[int, str]
"""Line number in the file, from 1, and text."""


def _blocks(lines: Iterable[str]) -> Iterator[list[_Line]]:
    """Lines of each sentence, with comments; blank lines separate sentences."""
    numbered = enumerate(lines, start=1)
    for blank, block in groupby(numbered, key=lambda line: not line[1].strip()):
        if not blank:
            yield list(block)


def _parsed(block: list[_Line], number: int, name: str) -> ParsedSentence:
    """Parse one sentence line by line, so that an error has a line number."""
    words: list[tuple[int, conllu.Token]] = []
    try:
        for line, text in block:
            for token in conllu.parse_token_and_metadata(text):  # empty for a comment
                if not isinstance(token["id"], tuple):
                    words.append((line, token))
        if not words:
            raise ValueError("it has no words")
        for word_number, (word_line, word) in enumerate(words, start=1):
            line = word_line
            _check(word, word_number, len(words))
    except (ParseException, ValueError) as error:
        raise HeadlightError(
            "Sentence {number} of {name} is malformed, in line {line}: {reason}",
            number=number,
            name=name,
            line=line,
            reason=str(error),
        ) from error
    return ParsedSentence(
        tuple(word["form"] for _, word in words),
        tuple(word["head"] - 1 for _, word in words),
        tuple(word["deprel"].partition(":")[0] for _, word in words),
    )


def _check(word: conllu.Token, number: int, n_words: int) -> None:
    if word["id"] != number:
        raise ValueError(f"this should be its word {number}")
    head = word.get("head")
    if head is None or not (word.get("form") or "").strip() or word.get("deprel") in _NO_RELATION:
        raise ValueError("a word lacks its form, its head or its relation")
    if head == number or not 0 <= head <= n_words:
        raise ValueError("a word depends on itself, or on a missing word")


_NO_RELATION = (None, "", "_")
