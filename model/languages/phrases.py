"""Grammar of the phrases: a tree, its English, its French and their word alignment.

The alignment is exact. Both sentences come from one tree, and every French word records the
English words that it translates.
"""

from dataclasses import dataclass, field

from model.languages import french
from model.languages.french import Word, begins_with_vowel, determiner, join, written
from model.languages.lexicon import FREQUENCY, MANNER, PLACING, Adjective, Gender, Noun, Verb


@dataclass(frozen=True)
class NounPhrase:
    """A noun phrase: "the small blue flower", "some bread", "my sister's cat".

    Attributes:
        determiner: In English, "" with an owner. "no" and "any" occur only in negations.
        owner: A singular noun phrase without adjectives.
    """

    determiner: str
    noun: Noun
    plural: bool = False
    before: Adjective | None = None
    after: Adjective | None = None
    owner: "NounPhrase | None" = None

    @property
    def gender(self) -> Gender:
        """French gender of the noun."""
        return self.noun.gender

    @property
    def adjectives(self) -> tuple[Adjective, ...]:
        """The adjectives in their English order."""
        return tuple(adjective for adjective in (self.before, self.after) if adjective)

    @property
    def nouns(self) -> tuple[Noun, ...]:
        """The nouns that an adjective of this subject modifies."""
        return (self.noun,)


@dataclass(frozen=True)
class Both:
    """Two noun phrases as one subject: "the cat and the dog"."""

    first: NounPhrase
    second: NounPhrase
    plural: bool = field(default=True, init=False)

    @property
    def gender(self) -> Gender:
        """Feminine if both noun phrases are feminine."""
        return "f" if self.first.gender == self.second.gender == "f" else "m"

    @property
    def nouns(self) -> tuple[Noun, ...]:
        """The nouns that an adjective of this subject modifies."""
        return (self.first.noun, self.second.noun)


@dataclass(frozen=True)
class PhrasePlace:
    """A place: "under the table"."""

    preposition: str
    where: NounPhrase


@dataclass(frozen=True)
class Clause:
    """A sentence with "is" (verb None), with another verb, or with "there is" (subject None)."""

    subject: NounPhrase | Both | None
    verb: Verb | None = None
    adverb: str = ""
    adjective: Adjective | None = None
    very: bool = False
    thing: NounPhrase | None = None
    manner: str = ""
    place: PhrasePlace | None = None

    @property
    def is_negative(self) -> bool:
        """Whether the French sentence has "ne"."""
        there_is_no = self.subject is None and self.thing and self.thing.determiner == "no"
        return self.adverb in ("not", "never") or bool(there_is_no)


Phrase = NounPhrase | Both | Clause


def determiners(
    noun: Noun, plural: bool, *, negative: bool = False, there: bool = False
) -> tuple[str, ...]:
    """The possible determiners of a noun."""
    if there:
        return ("some", "no") if noun.is_mass else _OF_SOME if plural else ("a", "no")
    found = french.OF_MASS if noun.is_mass else french.OF_SEVERAL if plural else french.OF_ONE
    if noun.name in NOBODYS:
        found = tuple(name for name in found if name not in french.POSSESSIVES)
    return tuple("any" if name == "some" and negative else name for name in found)


_OF_SOME = ("some", *french.NUMBERS, "no")
NOBODYS = {"girl", "boy", "woman", "man"}
"""Nouns without possessives: in French, "ma fille" and "ma femme" have another meaning."""


@dataclass(frozen=True)
class PhrasePair:
    """A phrase in both languages."""

    english: tuple[str, ...]
    french: tuple[Word, ...]

    @property
    def source(self) -> str:
        """The English text."""
        return " ".join(self.english).replace(" 's", "'s")

    @property
    def target(self) -> str:
        """The French text."""
        return written(word.text for word in self.french)


def pair(phrase: Phrase) -> PhrasePair:
    """Write a phrase in both languages."""
    writing = _Writing()
    french = writing.clause(phrase) if isinstance(phrase, Clause) else writing.subject(phrase)
    english = tuple(
        "an" if word == "a" and following[0] in "aeiou" else word
        for word, following in zip(writing.english, [*writing.english[1:], "."], strict=True)
    )
    return PhrasePair(english, join(french))


class _Writing:
    """Writer of the English tokens from left to right. Its methods return the French words."""

    def __init__(self) -> None:
        self.english: list[str] = []

    def say(self, *words: str) -> frozenset[int]:
        """Append English words and return their positions."""
        self.english += words
        return frozenset(range(len(self.english) - len(words), len(self.english)))

    def subject(self, subject: NounPhrase | Both) -> list[Word]:
        if isinstance(subject, NounPhrase):
            return self.noun_phrase(subject)
        first = self.noun_phrase(subject.first)
        both = Word("et", self.say("and"))
        return [*first, both, *self.noun_phrase(subject.second)]

    def noun_phrase(self, phrase: NounPhrase, negative: bool = False) -> list[Word]:
        noun, plural = phrase.noun, phrase.plural
        owner = [] if phrase.owner is None else self.noun_phrase(phrase.owner)
        determiner_at = self.say("'s" if phrase.owner else phrase.determiner)
        before_at, after_at = (
            self.say(adjective.english) if adjective else frozenset()
            for adjective in (phrase.before, phrase.after)
        )
        words = [Word(noun.french[plural], self.say(noun.english[plural]))]
        if (before := phrase.before) is not None:
            form = before.agreeing(noun.gender, plural)
            if noun.gender == "m" and not plural and begins_with_vowel(words[0].text):
                form = before.before_vowel
            words.insert(0, Word(form, before_at))
        if (after := phrase.after) is not None:
            words.append(Word(after.agreeing(noun.gender, plural), after_at))
        article = phrase.determiner or "the"
        if negative and article == "a":
            article = "any"  # "ne voit pas de chat"
        if article == "some" and plural and before is not None:
            article = "any"  # "de petits chats"
        # No word of "the king's cat" is aligned with "le" of "le chat".
        article_at = frozenset() if owner else determiner_at
        article_words = determiner(article, noun.gender, plural, words[0].text)
        words = [*(Word(text, article_at) for text in article_words), *words]
        return [*words, Word("de", determiner_at), *owner] if owner else words

    def clause(self, clause: Clause) -> list[Word]:
        if clause.subject is None:
            return self.there_is(clause)
        subject = self.subject(clause.subject)
        verb, adverb = self.verb(clause, clause.subject.plural)
        words = [*subject, *verb, *adverb]
        if clause.adjective is not None:
            words += [Word("très", self.say("very"))] if clause.very else []
            form = clause.adjective.agreeing(clause.subject.gender, clause.subject.plural)
            words.append(Word(form, self.say(clause.adjective.english)))
        if clause.thing is not None:
            words += self.noun_phrase(clause.thing, clause.is_negative)
        if clause.manner:
            words.append(Word(MANNER[clause.manner], self.say(clause.manner)))
        return [*words, *self.place(clause)]

    def verb(self, clause: Clause, plural: bool) -> tuple[list[Word], list[Word]]:
        """The French verb with its "ne", and the French adverb."""
        verb, adverb = clause.verb, clause.adverb
        if verb is None:
            at = self.say("are" if plural else "is")
            by = self.say(adverb) if adverb else at
            form = "sont" if plural else "est"
        elif adverb == "not":
            self.say("do" if plural else "does")
            by = self.say("not")
            at, form = self.say(verb.english[1]), verb.french[plural]
        else:
            by = self.say(adverb) if adverb else frozenset()
            at, form = self.say(verb.english[plural]), verb.french[plural]
        behind = {"not": "pas", "never": "jamais", **FREQUENCY}
        ne = [Word("ne", by)] if clause.is_negative else []
        return [*ne, Word(form, at)], [Word(behind[adverb], by)] if adverb else []

    def there_is(self, clause: Clause) -> list[Word]:
        thing = clause.thing
        assert thing is not None  # noqa: S101 - a clause without a subject has one
        at = self.say("there", "are" if thing.plural else "is")
        words = self.noun_phrase(thing)
        il, y, a = (Word(text, at) for text in ("il", "y", "a"))
        if not clause.is_negative:
            return [il, y, a, *words, *self.place(clause)]
        no = words[0].sources
        return [il, Word("ne", no), y, a, Word("pas", no), *words, *self.place(clause)]

    def place(self, clause: Clause) -> list[Word]:
        if clause.place is None:
            return []
        at = self.say(clause.place.preposition)
        words = PLACING[clause.place.preposition][0].split()
        return [*(Word(text, at) for text in words), *self.noun_phrase(clause.place.where)]
