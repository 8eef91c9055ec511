"""Sentences whose grammar people have written down: Universal Dependencies, CoNLL-U files."""

from collections.abc import Iterator
from dataclasses import dataclass
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
        HeadlightError: If the file is missing or a sentence is malformed; it is named.
    """
    number = 0
    try:
        with file.open(encoding="utf-8") as lines:
            for sentence in conllu.parse_incr(lines):
                number += 1
                yield _parsed(sentence)
    except (OSError, UnicodeDecodeError) as error:
        raise HeadlightError("The treebank {name} cannot be read.", name=str(file)) from error
    except (ParseException, ValueError) as error:
        raise HeadlightError(
            "Sentence {number} of {name} is malformed: {reason}",
            number=number + 1 if isinstance(error, ParseException) else number,
            name=str(file),
            reason=str(error),
        ) from error


def _parsed(sentence: conllu.TokenList) -> Parsed:
    words = [token for token in sentence if isinstance(token["id"], int)]
    if any(token.get(column) is None for token in words for column in ("form", "head", "deprel")):
        raise ValueError("a word lacks its form, its head or its relation")
    heads = [token["head"] - 1 for token in words]
    if any(not -1 <= head < len(words) for head in heads):
        raise ValueError("a word depends on one that is not there")
    return Parsed(
        tuple(token["form"] for token in words),
        tuple(heads),
        tuple(token["deprel"].partition(":")[0] for token in words),
    )
