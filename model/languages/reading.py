"""Parser of English phrases into trees of the grammar, which give the reference French."""

from functools import partial

from model.errors import HeadlightError, Items
from model.languages import french, lexicon, phrases
from model.languages.lexicon import Adjective, Noun
from model.languages.phrases import Both, Clause, NounPhrase, Phrase, PhrasePlace
from model.languages.vocabulary import ENGLISH, VERBS, unknown_words, words

_NOUNS = {form: (noun, bool(i)) for noun in lexicon.NOUNS for i, form in enumerate(noun.english)}
_ADJECTIVES = {adjective.english: adjective for adjective in lexicon.ADJECTIVES}
_VERBS = {form: (verb, bool(i)) for verb in VERBS for i, form in enumerate(verb.english)}


def read(text: str) -> Phrase:
    """Parse an English phrase.

    Raises a HeadlightError for an unknown word or a structure outside the grammar.
    """
    if unknown := unknown_words(text):
        raise HeadlightError(
            "It does not know {words}. Its vocabulary has {count} words.",
            words=Items(unknown[:10]),
            count=len(ENGLISH),
        )
    tokens = words(text)
    reader = _Reader(tokens)
    try:
        phrase = reader.phrase()
        if reader.rest() or list(phrases.pair(phrase).english) != tokens:
            raise _NotOurs
    except _NotOurs as error:
        raise HeadlightError(
            "It knows these words, but not a phrase of this form. It learned forms such as "
            "“the blue flower”, “the house is not old” and “a small dog sleeps”."
        ) from error
    return phrase


class _NotOurs(Exception):
    """The next word does not fit the grammar."""


class _Reader:
    """Parser that reads a phrase from left to right. The grammar is unambiguous.

    It accepts some phrases outside the grammar, such as "a old cat". :func:`read` rejects them.
    """

    def __init__(self, tokens: list[str]) -> None:
        self.tokens = tokens
        self.at = 0

    def rest(self) -> list[str]:
        return self.tokens[self.at :]

    def next_is(self, *words: str) -> str:
        """Consume and return the next word if it is one of these. Otherwise return ""."""
        rest = self.rest()
        if not rest or rest[0] not in words:
            return ""
        self.at += 1
        return rest[0]

    def need(self, *words: str) -> str:
        if not (word := self.next_is(*words)):
            raise _NotOurs
        return word

    def phrase(self) -> Phrase:
        if self.next_is("there"):
            plural = self.need("is", "are") == "are"
            thing = self.noun_phrase(there=True)
            self.agree(thing.plural, plural)
            return Clause(None, thing=thing, place=self.place())
        subject = self.subject()
        return self.clause(subject) if self.rest() else subject

    def subject(self) -> NounPhrase | Both:
        first = self.noun_phrase()
        return Both(first, self.noun_phrase()) if self.next_is("and") else first

    def noun_phrase(self, negative: bool = False, there: bool = False) -> NounPhrase:
        chosen = self.need(*french.OF_ONE, "an", *french.OF_SEVERAL, "any", "no")
        determiner = "a" if chosen == "an" else chosen
        before, after, noun, plural = self.described()
        allowed = phrases.determiners(noun, plural, negative=negative, there=there)
        self.agree(determiner in allowed, True)
        phrase = NounPhrase(determiner, noun, plural, before, after)
        if not self.next_is("'s"):
            return phrase
        owns = noun.kind in ("person", "animal") and determiner in french.OF_OWNERS
        self.agree(owns and not plural and not phrase.adjectives and not there, True)
        before, after, owned, plural = self.described()
        self.agree(owned.name in phrases.NOBODYS, False)
        return NounPhrase("", owned, plural, before, after, owner=phrase)

    def described(self) -> tuple[Adjective | None, Adjective | None, Noun, bool]:
        found = [_ADJECTIVES[name] for name in iter(partial(self.next_is, *_ADJECTIVES), "")]
        before = found.pop(0) if found and found[0].comes_before else None
        after = found.pop(0) if found and not found[0].comes_before else None
        self.agree(not found and (not before or not after or after in lexicon.COLOURS), True)
        return before, after, *_NOUNS[self.need(*_NOUNS)]

    def clause(self, subject: NounPhrase | Both) -> Clause:
        if be := self.next_is("is", "are"):
            self.agree(be == "are", subject.plural)
            adverb = self.next_is("not", "never", *lexicon.FREQUENCY)
            very = bool(self.next_is("very"))
            if name := self.next_is(*_ADJECTIVES):
                return Clause(subject, None, adverb, _ADJECTIVES[name], very)
            self.agree(very, False)
            return Clause(subject, None, adverb, place=self.place(needed=True))
        adverb = self.next_is("never", *lexicon.FREQUENCY)
        if not adverb and (do := self.next_is("do", "does")):
            adverb = self.need("not")
            self.agree(do == "do", subject.plural)
        verb, plural = _VERBS[self.need(*_VERBS)]
        self.agree(plural, adverb == "not" or subject.plural)
        return self.verb(Clause(subject, verb, adverb))

    def verb(self, begun: Clause) -> Clause:
        subject, verb, adverb = begun.subject, begun.verb, begun.adverb
        if verb in lexicon.TRANSITIVE:
            thing = self.noun_phrase(negative=begun.is_negative)
            return Clause(subject, verb, adverb, thing=thing, place=self.place())
        manner = self.next_is(*lexicon.MANNER)
        place = None if manner else self.place()
        return Clause(subject, verb, adverb, manner=manner, place=place)

    def place(self, needed: bool = False) -> PhrasePlace | None:
        preposition = (self.need if needed else self.next_is)(*lexicon.PLACING)
        if not preposition:
            return None
        where = self.noun_phrase()
        self.agree(where.determiner == "some", False)
        return PhrasePlace(preposition, where)

    def agree(self, one: bool, other: bool) -> None:
        if one != other:
            raise _NotOurs
