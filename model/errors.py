"""Sentences for users, findings and errors, which a page can translate."""

from typing import Any, Self


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


class CutTextWarning(UserWarning):
    """A text is longer than a model reads, and its end was left out."""
