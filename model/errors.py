"""Sentences for users, findings and errors, which a page can translate."""

from collections.abc import Collection, Iterable
from numbers import Integral
from typing import Any, Self


class Items(tuple[str, ...]):
    """Items in a sentence: ``a, b``; a page joins them as its language does."""

    def __new__(cls, items: Iterable[object]) -> Self:
        """Keep the items' texts."""
        return super().__new__(cls, map(str, items))

    def __str__(self) -> str:
        return ", ".join(self)


class Sentence:
    """A finding: a constant sentence with named placeholders, and their values.

    A page translates the sentence and fills in the values: ``"Rows sum to {total:.2f}."``.
    """

    def __init__(self, message: str, **values: Any) -> None:
        self.message = message
        self.values = values

    def __str__(self) -> str:
        return self.message.format(**self.values)


class TranslatableError(Exception):
    """An error message for the user, in one sentence, as :class:`Sentence`.

    The user's own words are values, never a part of the sentence, and are printed literally.
    """

    def __init__(self, message: str, **values: Any) -> None:
        self.message = message
        self.values = values
        super().__init__(message.format(**values))

    def with_values(self, **values: Any) -> Self:
        """Copy the error with other values for some placeholders."""
        other = type(self).__new__(type(self))  # the constructors of subclasses differ
        vars(other).update(vars(self))
        other.values = {**self.values, **values}
        other.args = (self.message.format(**other.values),)
        return other


class HeadlightError(TranslatableError, ValueError):
    """A mistake that the user can correct."""


def check_range(name: str, value: float, first: int, last: int) -> None:
    """Refuse a number that is not whole, or outside of a range."""
    if not (isinstance(value, Integral) and first <= value <= last):
        raise HeadlightError(
            "{name} must be a whole number from {first} to {last}, not {value}.",
            name=name,
            first=first,
            last=last,
            value=value,
        )


def check_least(name: str, value: int | None, least: int = 1) -> None:
    """Refuse a number below the least; None is no number."""
    if value is not None and value < least:
        raise HeadlightError(
            "{name} must be at least {least}, not {value}.", name=name, least=least, value=value
        )


def check_one_of(name: str, value: object, known: Collection[str]) -> None:
    """Refuse a value that is not known."""
    if value not in known:
        raise HeadlightError(
            "{name} must be one of {known}, not {value}.",
            name=name,
            known=Items(known),
            value=str(value),
        )


class CutTextWarning(UserWarning):
    """A text is longer than a model reads, and its end was left out."""
