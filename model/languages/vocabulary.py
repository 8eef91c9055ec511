"""Every word of the grammar's two languages, and text cut into them."""

import re

from model.languages import french
from model.languages.lexicon import (
    ADJECTIVES,
    FREQUENCY,
    INTRANSITIVE,
    MANNER,
    NOUNS,
    PLACING,
    TRANSITIVE,
)

VERBS = (*TRANSITIVE, *INTRANSITIVE)
ENGLISH_WORD = r"'s\b|[^\s'.,;:!?\"]+"
FRENCH_WORD = r"[^\s'.,;:!?\"]+'?"
"""A word that elides keeps its apostrophe: "l'" and "eau" are two words."""

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
    """English as the grammar's words: lower case, "isn't" as "is not", no full stop.

    Whatever is no word of the grammar stays as it is; :func:`unknown_words` names it.
    """
    return re.findall(ENGLISH_WORD, text.lower().replace("’", "'").replace("n't", " not"))


def unknown_words(text: str) -> list[str]:
    """The words of a text that the grammar does not have, each once, in their order."""
    return [word for word in dict.fromkeys(words(text)) if word not in ENGLISH]
