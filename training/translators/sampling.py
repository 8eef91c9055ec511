"""Random phrases of the grammar, and the noun-adjective pairs that the training excludes."""

import random
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Literal, TypeVar

from model.languages import french, lexicon
from model.languages.french import begins_with_vowel
from model.languages.lexicon import ADJECTIVES, NOUNS, PLACING, Adjective, Noun
from model.languages.phrases import (
    NOBODYS,
    Both,
    Clause,
    NounPhrase,
    Phrase,
    PhrasePlace,
    determiners,
)

SHARE_HELD_OUT = 0.12
LEFT = 4
_SEED = 2017
_EXAMPLES = {("flower", "blue"), ("flower", "small")}
"""Pairs that are always held out, because the page shows them first."""

_LIVING = [noun for noun in NOUNS if noun.kind in ("person", "animal")]
_T = TypeVar("_T")

Pairs = Literal["trained", "held out", "senseless"]
"""Kinds of noun-adjective pairs. Senseless ones, such as a happy hotel, are not trained either."""


def goes_with(noun: Noun, adjective: Adjective) -> bool:
    """Whether an adjective can modify a noun: no hotel is happy."""
    return noun.kind in adjective.kinds


@cache
def held_out_pairs() -> frozenset[tuple[str, str]]:
    """The (noun, adjective) pairs, in English, that the training excludes in every form.

    For every French form at least :data:`LEFT` nouns stay in the training.
    """
    sensible = [(n, a) for n in NOUNS for a in ADJECTIVES if goes_with(n, a)]
    trained = Counter(form for noun, adjective in sensible for form in _forms(noun, adjective))
    wanted = round(SHARE_HELD_OUT * len(sensible))
    random.Random(_SEED).shuffle(sensible)  # noqa: S311 - chance, not secrecy
    sensible.sort(key=lambda pair: (pair[0].name, pair[1].english) not in _EXAMPLES)
    chosen: set[tuple[str, str]] = set()
    for noun, adjective in sensible:
        forms = _forms(noun, adjective)
        if len(chosen) < wanted and all(trained[form] > LEFT for form in forms):
            chosen.add((noun.name, adjective.english))
            trained.subtract(forms)
    return frozenset(chosen)


def _forms(noun: Noun, adjective: Adjective) -> set[tuple[str, str]]:
    """The French forms of an adjective with a noun: (adjective, form)."""
    forms = set()
    for plural in range(len(noun.french)):
        form = adjective.agreeing(noun.gender, bool(plural))
        forms.add((adjective.english, form))
        if noun.gender == "m" and not plural and begins_with_vowel(noun.french[0]):
            forms.add((adjective.english, adjective.before_vowel))
    return forms


def _sort(noun: Noun, adjective: Adjective) -> Pairs:
    if not goes_with(noun, adjective):
        return "senseless"
    return "held out" if (noun.name, adjective.english) in held_out_pairs() else "trained"


@cache
def adjectives_for(name: str, pairs: Pairs) -> tuple[tuple[Adjective, ...], ...]:
    """The adjectives that form such pairs with a noun."""
    noun = next(noun for noun in NOUNS if noun.name == name)
    fitting = [adjective for adjective in ADJECTIVES if _sort(noun, adjective) == pairs]
    return tuple(
        tuple(adjective for adjective in fitting if adjective in group)
        for group in (lexicon.BEFORE, lexicon.AFTER, lexicon.COLOURS)
    )


def noun_phrases(phrase: Phrase) -> Iterator[NounPhrase]:
    """All noun phrases in a phrase, including owners."""
    if isinstance(phrase, Clause):
        where = phrase.place.where if phrase.place else None
        for part in (phrase.subject, phrase.thing, where):
            if part is not None:
                yield from noun_phrases(part)
    elif isinstance(phrase, Both):
        yield from noun_phrases(phrase.first)
        yield from noun_phrases(phrase.second)
    else:
        yield phrase
        if phrase.owner is not None:
            yield phrase.owner


def pairs_of(phrase: Phrase) -> set[tuple[Noun, Adjective]]:
    """All pairs of a noun and an adjective that modifies it."""
    found = {
        (part.noun, adjective) for part in noun_phrases(phrase) for adjective in part.adjectives
    }
    if isinstance(phrase, Clause) and phrase.adjective is not None and phrase.subject is not None:
        found |= {(noun, phrase.adjective) for noun in phrase.subject.nouns}
    return found


def pattern_of(phrase: Phrase) -> str:
    """The kind of a phrase, for tables."""
    if not isinstance(phrase, Clause):
        return "noun phrase"
    if phrase.subject is None:
        return "there is"
    if phrase.verb is None:
        return "is so" if phrase.adjective is not None else "is somewhere"
    return "does" if phrase.thing is None else "does something to"


class Sampler:
    """Sampler of phrases whose noun-adjective pairs are all of one kind."""

    def __init__(self, rng: random.Random, pairs: Pairs = "trained") -> None:
        self.rng = rng
        self.pairs = pairs

    def phrase(self) -> Phrase:
        """The next phrase. If its pairs are not in the training, it has at least one pair."""
        while True:
            found = self._any()
            if self.pairs == "trained" or pairs_of(found):
                return found

    def _any(self) -> Phrase:
        draw = self.rng.random()
        if draw < 0.22:
            return self._subject(NOUNS)
        if draw < 0.44:
            return self._is_so()
        if draw < 0.54:
            subject, adverb = self._subject(NOUNS), self._adverb()
            return Clause(subject, adverb=adverb, place=self._place(1.0))
        if draw < 0.66:
            thing = self._noun_phrase(NOUNS, there=True)
            return Clause(None, thing=thing, place=self._place(0.4))
        return self._does()

    def _is_so(self) -> Phrase:
        while True:
            subject, adverb = self._subject(NOUNS), self._adverb()
            first, *second = (
                [*before, *after] for before, after, _ in self._adjectives_for(subject)
            )
            fitting = [adjective for adjective in first if all(adjective in s for s in second)]
            if fitting:
                very = self._chance(0.15)
                return Clause(subject, None, adverb, self._one(fitting), very)

    def _does(self) -> Phrase:
        subject, adverb = self._subject(_LIVING), self._adverb()
        if self._chance(0.4):
            manner = self._one(sorted(lexicon.MANNER)) if self._chance(0.4) else ""
            place = None if manner else self._place(0.5)
            verb = self._one(lexicon.INTRANSITIVE)
            return Clause(subject, verb, adverb, manner=manner, place=place)
        verb = self._one(lexicon.TRANSITIVE)
        nouns = [noun for noun in NOUNS if noun.kind in verb.kinds]
        thing = self._noun_phrase(nouns, negative=adverb in ("not", "never"))
        return Clause(subject, verb, adverb, thing=thing, place=self._place(0.15))

    def _adverb(self) -> str:
        if self._chance(0.5):
            return ""
        return "not" if self._chance(0.6) else self._one(("never", *sorted(lexicon.FREQUENCY)))

    def _place(self, chance: float) -> PhrasePlace | None:
        if not self._chance(chance):
            return None
        preposition = self._one(sorted(PLACING))
        nouns = [noun for noun in NOUNS if noun.kind in PLACING[preposition][1]]
        return PhrasePlace(preposition, self._noun_phrase(nouns, place=True))

    def _subject(self, nouns: Sequence[Noun]) -> NounPhrase | Both:
        first = self._noun_phrase(nouns)
        return Both(first, self._noun_phrase(nouns)) if self._chance(0.12) else first

    def _noun_phrase(
        self,
        nouns: Sequence[Noun],
        negative: bool = False,
        there: bool = False,
        place: bool = False,
    ) -> NounPhrase:
        noun = self._one(nouns)
        plural = not noun.is_mass and self._chance(0.4)
        before, after = self._described(noun)
        if not there and noun.name not in NOBODYS and self._chance(0.12):
            owner = self._one(_LIVING)
            owners = [name for name in determiners(owner, False) if name in french.OF_OWNERS]
            whose = NounPhrase(self._one(owners), owner)
            return NounPhrase("", noun, plural, before, after, whose)
        chosen = determiners(noun, plural, negative=negative, there=there)
        allowed = [name for name in chosen if not (place and name == "some")]
        if not there and self._chance(0.4):
            return NounPhrase("the", noun, plural, before, after)
        return NounPhrase(self._one(allowed), noun, plural, before, after)

    def _described(self, noun: Noun) -> tuple[Adjective | None, Adjective | None]:
        before, after, colours = adjectives_for(noun.name, self.pairs)
        draw = self.rng.random()
        if draw < 0.12 and before and colours:
            return self._one(before), self._one(colours)
        if draw < 0.35 and before:
            return self._one(before), None
        return None, self._one(after) if draw < 0.65 and after else None

    def _adjectives_for(
        self, subject: NounPhrase | Both
    ) -> list[tuple[tuple[Adjective, ...], ...]]:
        return [adjectives_for(noun.name, self.pairs) for noun in subject.nouns]

    def _chance(self, share: float) -> bool:
        return self.rng.random() < share

    def _one(self, things: Sequence[_T]) -> _T:
        return things[int(self.rng.random() * len(things))]


def untrained_phrases(count: int, pairs: Pairs = "held out") -> list[Phrase]:
    """Distinct phrases whose pairs all are absent from the training."""
    sampler = Sampler(random.Random(_SEED), pairs)  # noqa: S311
    found: dict[Phrase, None] = {}
    while len(found) < count:
        found[sampler.phrase()] = None
    return list(found)
