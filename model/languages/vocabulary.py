"""Vocabularies of the two languages, and the split of a text into words."""

import re

from model.languages import french, lexicon
from model.languages.lexicon import ADJECTIVES, FREQUENCY, MANNER, NOUNS, PLACING

VERBS = (*lexicon.TRANSITIVE, *lexicon.INTRANSITIVE)
ENGLISH_WORD = r"'s\b|[^\s'.,;:!?\"]+"
FRENCH_WORD = r"[^\s'.,;:!?\"]+'?"
"""An elided word includes its apostrophe: "l'" and "eau" are two words."""

ENGLISH = tuple(
    sorted(
        {form for noun in NOUNS for form in noun.english}
        | {adjective.english for adjective in ADJECTIVES}
        | {form for verb in VERBS for form in verb.english}
        | {*MANNER, *FREQUENCY, *PLACING, *french.OF_ONE, *french.OF_SEVERAL}
        | {"an", "any", "no", "is", "are", "do", "does", "not", "never", "very", "and", "there"}
        | {"'s"}
    )
)
FRENCH = tuple(
    sorted(
        {form for noun in NOUNS for form in noun.french}
        | {form for adjective in ADJECTIVES for form in (*adjective.french, adjective.before_vowel)}
        | {form for verb in VERBS for form in verb.french}
        | {*MANNER.values(), *FREQUENCY.values(), *french.NUMBERS.values()}
        | {form for forms in french.POSSESSIVES.values() for form in forms}
        | {word for words, _ in PLACING.values() for word in words.split()}
        | {*french.ELIDED, *french.ELIDED.values(), *french.CONTRACTED.values()}
        | {"les", "un", "une", "ce", "cet", "cette", "ces", "et", "est", "sont", "très"}
        | {"pas", "jamais", "il", "y", "a"}
    )
)


def words(text: str) -> list[str]:
    """Split English into lower-case words without punctuation; "isn't" becomes "is not".

    Words outside the grammar stay unchanged; :func:`unknown_words` finds them.
    """
    return re.findall(ENGLISH_WORD, text.lower().replace("’", "'").replace("n't", " not"))


def unknown_words(text: str) -> list[str]:
    """The distinct words of a text outside the vocabulary, in order of their first occurrence."""
    return [word for word in dict.fromkeys(words(text)) if word not in ENGLISH]
