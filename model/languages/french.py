"""Changes of adjacent French words: l'homme, du jardin, mon école."""

from collections.abc import Iterable
from dataclasses import dataclass

from model.languages.lexicon import Gender

VOWELS = frozenset("aeiouyhâàéèêîïôœ")
ELIDED = {"le": "l'", "la": "l'", "de": "d'", "ne": "n'"}
CONTRACTED = {"le": "du", "les": "des"}
"""Contraction of "de" and the article after it."""


NUMBERS = {"two": "deux", "three": "trois", "four": "quatre"}
POSSESSIVES = {
    "my": ("mon", "ma", "mes"),
    "his": ("son", "sa", "ses"),
    "her": ("son", "sa", "ses"),
    "our": ("notre", "notre", "nos"),
    "their": ("leur", "leur", "leurs"),
}
OF_ONE = ("the", "a", "this", "that", *POSSESSIVES)
OF_SEVERAL = ("the", "these", "those", "some", *NUMBERS, *POSSESSIVES)
OF_MASS = ("the", "this", "that", "some", *POSSESSIVES)
OF_OWNERS = ("the", "this", "that", *POSSESSIVES)


@dataclass(frozen=True)
class Word:
    """A French word, which ends in its apostrophe if it is elided.

    Attributes:
        sources: Positions of the English tokens that it translates. It may be empty.
    """

    text: str
    sources: frozenset[int]


def begins_with_vowel(text: str) -> bool:
    """Whether a word before this one elides. Every h in the lexicon is mute."""
    return text[0] in VOWELS


def join(words: Iterable[Word]) -> tuple[Word, ...]:
    """Elide and contract: "le homme" is "l'homme", "de le jardin" is "du jardin"."""
    joined: list[Word] = []
    for word in reversed(tuple(words)):
        after = joined[-1] if joined else None
        if after and word.text in ELIDED and begins_with_vowel(after.text):
            joined.append(Word(ELIDED[word.text], word.sources))
        elif after and word.text == "de" and after.text in CONTRACTED:
            joined[-1] = Word(CONTRACTED[after.text], word.sources | after.sources)
        else:
            joined.append(word)
    return tuple(reversed(joined))


def written(tokens: Iterable[str]) -> str:
    """Tokens as a line of French, without a blank after an apostrophe."""
    return " ".join(tokens).replace("' ", "'")


def determiner(english: str, gender: Gender, plural: bool, before: str) -> tuple[str, ...]:
    """The French words of an English determiner, before :func:`join`."""
    feminine = gender == "f"
    vowel = begins_with_vowel(before)
    if english in NUMBERS:
        return (NUMBERS[english],)
    if english in POSSESSIVES:
        one, her, many = POSSESSIVES[english]
        return (many if plural else her if feminine and not vowel else one,)
    if english in ("this", "that", "these", "those"):
        return ("ces" if plural else "cette" if feminine else "cet" if vowel else "ce",)
    if english == "a":
        return ("une" if feminine else "un",)
    article = ("les",) if plural else ("la",) if feminine else ("le",)
    if english == "some":
        return ("des",) if plural else ("de", *article)
    return article if english == "the" else ("de",)
