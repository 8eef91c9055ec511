"""Sentences for users, findings and errors, which a page can translate."""

from typing import Any, Self


class Sentence:
    """A finding in one sentence. Its values are separate, so that a page can translate it.

    Args:
        message: A constant sentence with named placeholders, e.g. ``"Rows sum to {total:.2f}."``.
        **values: The values of the placeholders.
    """

    def __init__(self, message: str, **values: Any) -> None:
        self.message = message
        self.values = values

    def __str__(self) -> str:
        return self.message.format(**self.values)


class TranslatableError(Exception):
    """An error message for the user, in one sentence.

    The values are separate from the sentence, so that a page can translate the sentence and print
    the user's own words literally (they are arguments, never a template).

    Args:
        message: A constant sentence with named placeholders, e.g. ``"{name} has no tokenizer."``.
        **values: The values of the placeholders.
    """

    def __init__(self, message: str, **values: Any) -> None:
        self.message = message
        self.values = values
        super().__init__(message.format(**values))

    def with_values(self, **values: Any) -> Self:
        """Copy the error with other values.

        Args:
            **values: New values for some placeholders.
        """
        other = type(self).__new__(type(self))  # the constructors of subclasses differ
        vars(other).update(vars(self))
        other.values = {**self.values, **values}
        other.args = (self.message.format(**other.values),)
        return other


class HeadlightError(TranslatableError, ValueError):
    """A mistake that the user can correct."""


class CutTextWarning(UserWarning):
    """A text is longer than a model reads, and its end was left out."""
