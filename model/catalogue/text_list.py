"""Lists of texts as notebooks have them: any iterable, checked."""

from collections.abc import Iterable

from model.errors import HeadlightError


def text_list(texts: Iterable[str]) -> list[str]:
    """Make a list of texts of any iterable: a list, a tuple, a Series, an array, a generator.

    Raises a HeadlightError if it is not iterable, or one of them is blank or no text.
    """
    if not isinstance(texts, Iterable):
        raise HeadlightError(
            "A {kind} is neither a text nor a list of texts.", kind=type(texts).__name__
        )
    found = list(texts)
    for number, text in enumerate(found):
        if not isinstance(text, str) or not text.strip():
            raise HeadlightError(
                "Text {number}, counted from 0, is blank or no text ({kind}). Leave it out.",
                number=number,
                kind=type(text).__name__,
            )
    return found
